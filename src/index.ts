import { CrmError, type FieldError } from './core/errors.ts'
import type { JsonObject, JsonValue } from './core/json.ts'
import type { Wire } from './core/wire.ts'
import type {
  CrmRecord,
  DeleteCall,
  ListCall,
  Page,
  ReadCall,
  RecordList,
  UpdateCall,
  WriteCall,
} from './library/calls.ts'
import type { ClientOptions } from './library/client-options.ts'
import { type Client, createClient } from './library/create-client.ts'
import type { GraphqlCall } from './library/graphql.ts'
import type { ImportCall, ImportedRows, SendCall } from './library/import-rows.ts'
import type { JobMethods, RowFailure } from './library/job-methods.ts'
import type { Answer, RequestCall } from './library/request.ts'
import type {
  Contact,
  ContactFilters,
  ContactPatch,
  CreatedWebhook,
  Deal,
  DealFilters,
  DealPatch,
  NewContact,
  NewDeal,
  NewNote,
  NewWebhook,
  Note,
  Pipeline,
  Stage,
  Webhook,
  WebhookPatch,
  WebhookTest,
} from './library/resources.ts'

import {
  SignatureError,
  type SignatureReason,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './library/verify-webhook.ts'

/** The Node library: the client of the command line, for programs. docs/library.md shows it at work. */
export type {
  Answer,
  Client,
  ClientOptions,
  Contact,
  ContactFilters,
  ContactPatch,
  CreatedWebhook,
  CrmRecord,
  Deal,
  DealFilters,
  DealPatch,
  DeleteCall,
  FieldError,
  GraphqlCall,
  ImportCall,
  ImportedRows,
  JobMethods,
  JsonObject,
  JsonValue,
  ListCall,
  NewContact,
  NewDeal,
  NewNote,
  NewWebhook,
  Note,
  Page,
  Pipeline,
  ReadCall,
  RecordList,
  RequestCall,
  RowFailure,
  SendCall,
  SignatureReason,
  Stage,
  UpdateCall,
  VerifyOptions,
  Webhook,
  WebhookEvent,
  WebhookHeaders,
  WebhookPatch,
  WebhookTest,
  Wire,
  WriteCall,
}
export { CrmError, createClient, SignatureError, verifyWebhook }
