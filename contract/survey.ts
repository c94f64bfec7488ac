import { z } from 'zod';
import { collection, id, line, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';

/** Spec section 9. */
export const SURVEY_VERSION = 1;

/** Label and value of each audience bucket (spec section 9). */
export const AUDIENCE_BUCKETS = [
  { label: '1 to 1,000', value: 1 },
  { label: '1,001 to 5,000', value: 1000 },
  { label: '5,001 to 15,000', value: 5000 },
  { label: '15,001 to 50,000', value: 15000 },
  { label: '50,001 to 100,000', value: 50000 },
  { label: '100,001 to 250,000', value: 100000 },
  { label: '250,000+', value: 250000 },
] as const;

/** Spec section 9; `Other` opens a free-text field. */
export const TOOL_OPTIONS = [
  'ActiveCampaign',
  'SendGrid',
  'ConvertKit',
  'Campaign Monitor',
  'Brevo',
  'HubSpot',
  'Mailchimp',
  'Sendlane',
  'Drip',
  'Salesforce',
  'Other',
] as const;

const bucketValues = AUDIENCE_BUCKETS.map((bucket) => bucket.value);

export const surveySubmission = z.strictObject({
  version: z.literal(SURVEY_VERSION),
  data: z.strictObject({
    name: line(100),
    domain: line(253),
    integrations: z.array(line(100)).max(20),
    contacts: z.literal(bucketValues),
  }),
});

export type SurveySubmission = z.infer<typeof surveySubmission>;

export const survey = surveySubmission.extend({ id, created_at: timestamp }).meta({ id: 'Survey' });

export const listSurveys = defineRoute({
  method: 'GET',
  path: '/core/v1/users/{id}/surveys',
  access: 'user',
  tag: 'Accounts',
  summary: 'List your sign-up survey answers, newest first',
  params: z.object({ id }),
  status: 200,
  response: collection(survey),
});

export const submitSurvey = defineRoute({
  method: 'POST',
  path: '/core/v1/users/{id}/surveys',
  access: 'user',
  tag: 'Accounts',
  summary: 'Submit the sign-up survey',
  params: z.object({ id }),
  body: surveySubmission,
  status: 201,
  response: survey,
});
