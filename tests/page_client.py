"""A browser's part in a test of the page's server, without a browser."""

import asyncio

import httpx

HOST = "http://127.0.0.1:8421"


class PageClient:
    """Asks the page's application, which runs in this process.

    (Starlette's own test client needs another library with each of its versions.)
    """

    def __init__(self, app):
        self._app = app

    def get(self, place, *, follows=True, method="GET", **headers):
        """Return the answer at a place, after redirections unless these are asked for."""

        async def asked():
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
                return await client.request(
                    method, place, headers=headers, follow_redirects=follows
                )

        return asyncio.run(asked())
