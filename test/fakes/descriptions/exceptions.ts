/** Where a tool's description is wrong, or knows less than the tool: what it finds fault with, and why that is right. */
export interface Exception {
  violation: RegExp;
  reason: string;
}

export const EXCEPTIONS = {
  sendgrid: [
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
  'campaign-monitor': [],
} satisfies Record<string, Exception[]>;
