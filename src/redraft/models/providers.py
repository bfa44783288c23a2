"""How each provider is reached: keys and addresses from the environment, the provider's library imported when chosen."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from redraft.models.remote import Connect

if TYPE_CHECKING:
    from pydantic_ai.models import Model as PydanticModel

__all__ = ["openai_compatible"]


def openai_compatible(name: str, *, base_url: str | None, key: str, loopback: bool = False) -> Connect:
    """Any server that speaks OpenAI's chat completions. Without a `base_url` it is OpenAI's own."""

    async def connect() -> AsyncGenerator[PydanticModel]:
        import openai
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider

        # a proxy from the environment must not see what goes to our own process
        transport = openai.DefaultAioHttpClient(trust_env=not loopback, verify=not loopback)
        async with openai.AsyncOpenAI(base_url=base_url, api_key=key, http_client=transport, max_retries=0) as client:
            profile = None
            if base_url is not None:
                client.organization = client.project = None  # OpenAI's own, of no concern to another server
                profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
            yield OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)

    return connect
