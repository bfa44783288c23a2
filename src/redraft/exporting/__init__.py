"""Records in the forms that others read.

runs.py         a record as one value: texts, checks, turns, calls
marking.py      where claims lie in a text, and what a rewrite changes
training.py     SFT and DPO rows, claims with verdicts
logs.py         a log of Inspect
tables.py       CSV and Parquet for analysts
certificate.py  one run as a page that opens without a server
"""

from redraft.exporting.certificate import certificate
from redraft.exporting.logs import inspect_log
from redraft.exporting.runs import Run, read_runs, run_of
from redraft.exporting.tables import TABLES, csv_of, parquet_of
from redraft.exporting.training import claim_rows, dpo_rows, sft_rows

__all__ = ["TABLES", "Run", "certificate", "claim_rows", "csv_of", "dpo_rows", "inspect_log", "parquet_of", "read_runs", "run_of", "sft_rows"]
