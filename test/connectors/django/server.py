"""A CRM in Django REST framework: server.py FOLDER page|limit|cursor slash|bare prints its address.

FOLDER/contacts.json holds the contacts that are there at the start.
"""

import json
import os
import sys

import django
from django.conf import settings

folder, paging, slash = sys.argv[1:4]
KEY = "family-key-1"

settings.configure(
    ALLOWED_HOSTS=["*"],
    APPEND_SLASH=False,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(folder, "db.sqlite3"),
            "OPTIONS": {"timeout": 60},
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    ROOT_URLCONF="__main__",
    SECRET_KEY="test",
    USE_TZ=True,
)
django.setup()

from django.contrib.auth.models import AnonymousUser  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from rest_framework import authentication, exceptions, pagination, routers, serializers, viewsets  # noqa: E402


class KeyAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request):
        if request.headers.get("Authorization") != f"Token {KEY}":
            raise exceptions.AuthenticationFailed("Invalid token.")
        return (AnonymousUser(), None)

    def authenticate_header(self, request):
        return "Token"


class PageNumber(pagination.PageNumberPagination):
    page_size = 100


class LimitOffset(pagination.LimitOffsetPagination):
    default_limit = 100


class Cursor(pagination.CursorPagination):
    page_size = 100
    ordering = "id"


class Contact(models.Model):
    name = models.CharField(max_length=200)
    email = models.EmailField(null=True, blank=True)
    phone = models.CharField(max_length=50, null=True, blank=True)
    company = models.CharField(max_length=200, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "crm"


class Deal(models.Model):
    name = models.CharField(max_length=200)
    amount = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    stage = models.CharField(max_length=50)

    class Meta:
        app_label = "crm"


class Note(models.Model):
    deal = models.ForeignKey(Deal, on_delete=models.CASCADE)
    body = models.TextField()

    class Meta:
        app_label = "crm"


def view_of(kind):
    meta = type("Meta", (), {"model": kind, "fields": "__all__"})
    serializer = type(f"{kind.__name__}Serializer", (serializers.ModelSerializer,), {"Meta": meta})
    members = {
        "authentication_classes": [KeyAuthentication],
        "pagination_class": {"page": PageNumber, "limit": LimitOffset, "cursor": Cursor}[paging],
        "permission_classes": [],
        "queryset": kind.objects.order_by("id"),
        "serializer_class": serializer,
    }
    return type(f"{kind.__name__}View", (viewsets.ModelViewSet,), members)


router = routers.SimpleRouter(trailing_slash=slash == "slash")
for path, kind in {"contacts": Contact, "deals": Deal, "notes": Note}.items():
    router.register(path, view_of(kind))


urlpatterns = router.urls


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


with connection.schema_editor() as editor:
    for kind in (Contact, Deal, Note):
        editor.create_model(kind)
with open(os.path.join(folder, "contacts.json")) as seeds:
    Contact.objects.bulk_create(Contact(**seed) for seed in json.load(seeds))
connection.close()

server = ThreadedWSGIServer(("127.0.0.1", 0), Handler, ipv6=False)
server.daemon_threads = True
server.set_app(get_wsgi_application())
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
