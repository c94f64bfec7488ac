/** Where a tool's description is wrong, or knows less than the tool: what it finds fault with, and why that is right. */
export interface Exception {
  violation: RegExp;
  reason: string;
}

export const EXCEPTIONS = {
  sendgrid: [
    {
      violation:
        /^get \/v3\/marketing\/field_definitions answer 200: \/custom_fields\/\d+ .* properties _metadata$/,
      reason: 'Recorded on 15 July 2026.',
    },
    {
      violation: /^post \/v3\/asm\/groups\/\{group_id\}\/suppressions answer 201: .* properties global$/,
      reason: 'Recorded on 15 July 2026.',
    },
    {
      violation: /^get \/v3\/asm\/suppressions\/global\/\{email\} answer 200: must have .*'recipient_email'$/,
      reason: 'The operation says in words that an address which is not there answers an empty object.',
    },
    {
      violation: /^delete \/v3\/marketing\/\S+ answer 202: \/job_id must be object$/,
      reason: 'The same job is named by a text wherever else it is told of.',
    },
    {
      violation:
        /^get \/v3\/marketing\/field_definitions answer 200: \/reserved_fields\/\d+ .* properties id$/,
      reason: 'Reserved fields have an id in all of the answers that the description shows.',
    },
    {
      violation: /^put \/v3\/marketing\/contacts request: \S+\/custom_fields must NOT have additional/,
      reason:
        'The one field that is named there is an example: the ids of custom fields are each account’s own.',
    },
  ],
  brevo: [
    {
      violation: /^\w+ \/contacts\/\{identifier\} request: \/path\/identifier must match exactly one schema/,
      reason: 'A number in a path is a text and a number at once, and each of the two is allowed.',
    },
    {
      violation:
        /\/contacts\/(?:add|remove) answer 201: \/contacts\/(?:success|failure) must match exactly one schema/,
      reason: 'An empty list is one of addresses and one of ids at once.',
    },
  ],
  'answers/activecampaign': [
    {
      violation: /^post \/contact(?:\/sync|Tags) answer 201: is not described$/,
      reason:
        'Recorded are a contact who was known and a tag that was there; of new ones its documentation tells.',
    },
    {
      violation: /^get \/contacts answer 200: must NOT have additional properties contactLists$/,
      reason: 'Lists come along for who asks for them, which nobody did.',
    },
  ],
  'answers/campaign-monitor': [],
  'answers/hubspot': [
    {
      violation: /^post \S+\/contacts\/search answer 200: must NOT have additional properties paging$/,
      reason: 'What was found came in one page.',
    },
    {
      violation: /\/contacts\/\{id\} answer 200: \/properties\/\w+ must be string$/,
      reason:
        'A property without a value is null, as lists of contacts showed; the recorded contact had all that was asked for.',
    },
  ],
  'answers/mailchimp': [
    {
      violation:
        /\/members\S* answer 200.*: \S* ?must NOT have additional properties (?:interests|marketing_permissions)$/,
      reason: 'The recorded audience has no groups and asks for no permissions.',
    },
    {
      violation: /\/members\S* answer 200.*: \S* ?must NOT have additional properties unsubscribe_reason$/,
      reason: 'Nobody in the recorded audience had left.',
    },
  ],
  'answers/salesforce': [],
  'answers/sendgrid': [
    {
      violation:
        /^get \/v3\/marketing\/lists answer 200: \/_metadata must NOT have additional properties next$/,
      reason: 'All lists came in one page.',
    },
    {
      violation: /^get \/v3\/marketing\/contacts\/imports\/\{id\} answer 200: \S* ?must NOT have additional/,
      reason: 'Only a job that creates a contact was recorded, and not its end.',
    },
  ],
} satisfies Record<string, Exception[]>;
