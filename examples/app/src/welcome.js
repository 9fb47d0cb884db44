/** Marks a contact as welcomed, and opens a deal for it. */
export async function welcome(client, contactId) {
  const contact = await client.contacts.update(contactId, { welcomed: true })
  return client.deals.create({ name: `Welcome ${contact.name}`, stage: 'Lead' })
}
