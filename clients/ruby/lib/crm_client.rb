# frozen_string_literal: true

require_relative "crm_client/client"
require_relative "crm_client/sandbox"
require_relative "crm_client/signatures"

# Client of the CRM service: contacts, deals, notes, pipelines and webhooks.
module CrmClient
end
