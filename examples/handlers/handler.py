"""A handler of webhooks: the http.server of Python, and the verification of clients/python."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from crm_client import SignatureError, verify

SECRET = os.environ["WEBHOOK_SECRET"]
PORT = int(os.environ.get("PORT", "3001"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify(body, self.headers, SECRET)
            # A mistake for docs/developers.md to find: a deal may have no amount.
            if event["type"] == "deal.created":
                print(f"{event['data']['name']}: {event['data']['amount']:.2f}", flush=True)
        except SignatureError as error:
            self.answer(401, str(error))
        except Exception as error:
            self.answer(500, repr(error))
        else:
            self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("127.0.0.1", PORT), Handler)
print(f"ready on port {PORT}", flush=True)
server.serve_forever()
