import { z } from 'zod';
import { collection, id, lookup, pageQuery, timestamp } from './fields.ts';
import { PAGE_CHECKS } from './page-checks.ts';
import { role } from './roles.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteParams } from './site-scope.ts';

/** What is written down, by the noun it happens to. */
export const AUDIT_EVENTS = [
  'organization.second_factor_required',
  'organization.second_factor_optional',
  'member.invited',
  'member.invitation_resent',
  'member.invitation_link_created',
  'member.invitation_withdrawn',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'account.second_factor_added',
  'account.second_factor_removed',
  'account.recovery_codes_created',
  'site.created',
  'site.renamed',
  'site.link_lifetime_changed',
  'site.delivery_content_days_changed',
  'site.sender_changed',
  'site.operator_changed',
  'site.test_mode_on',
  'site.test_mode_off',
  'site.test_emails_changed',
  'site.evidence_anchor_changed',
  'site.evidence_anchor_asked',
  'site.taken_down',
  'site.put_back',
  'domain.set',
  'domain.removed',
  'list.created',
  'list.changed',
  'list.deleted',
  'list.reordered',
  'page.created',
  'page.changed',
  'page.checks_overridden',
  'page.deleted',
  'action.created',
  'action.changed',
  'action.secret_rotated',
  'action.deleted',
  'integration.connected',
  'integration.changed',
  'integration.credentials_changed',
  'integration.disconnected',
  'customer.created',
  'customer.changed',
  'customer.links_ended',
  'customer.erased',
  'complaint.answered',
  'import.started',
  'import.applied',
  'import.cancelled',
  'bulk_change.undone',
  'delivery.replayed',
  'delivery.replayed_many',
  'agent.called',
  'agent.called_about_customer',
  'api_key.created',
  'api_key.revoked',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];

export const AUDIT_NOUNS = [
  'organization',
  'member',
  'account',
  'site',
  'domain',
  'list',
  'page',
  'action',
  'integration',
  'customer',
  'complaint',
  'import',
  'bulk_change',
  'delivery',
  'agent',
  'api_key',
] as const;

export type AuditNoun = (typeof AUDIT_NOUNS)[number];

export const auditActor = z
  .object({
    kind: z
      .enum(['user', 'api_key', 'operator'])
      .describe('`operator`: the people who run this server, by a command on it.'),
    id: id.nullable().describe('null for `operator`.'),
    name: z.string().nullable().describe('null once the account or key is gone, and for `operator`.'),
  })
  .meta({ id: 'AuditActor' });

export type AuditActor = z.infer<typeof auditActor>;

export const auditEntry = z
  .object({
    id,
    at: timestamp,
    actor: auditActor,
    event: z.enum(AUDIT_EVENTS),
    subject_id: z
      .string()
      .nullable()
      .describe('What changed, or what an agent asked about; null if there were several, or none.'),
    subject_name: z
      .string()
      .nullable()
      .describe(
        "The name at the time. For an invitation, the invited email; for a member, the current name; for an agent's call, the tool. Null for customers: the audit log never stores their emails.",
      ),
    count: z.number().int().nullable().describe('How many, if there were several.'),
    role: role.nullable().describe('The role that a member or an invited person got.'),
    previous_role: role.nullable().describe('The role that a member had before.'),
    checks: z
      .array(z.enum(PAGE_CHECKS))
      .nullable()
      .describe('The checks that failed when a page was published anyway.'),
    reason: z
      .string()
      .nullable()
      .describe("Why it was published anyway, or why the site's pages were taken down."),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.infer<typeof auditEntry>;

export const listAuditLog = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/audit-log`,
  access: 'site',
  needs: 'admin',
  tag: 'Audit log',
  summary: 'List the changes on a site and the calls by agents, newest first',
  description:
    'Written in the same transaction as the change and never altered; calls by agents before they are answered. Changes of the organization and its team are in the log of each of its sites. Contains no secrets and no customer emails.',
  params: siteParams,
  query: pageQuery.extend({
    noun: z.enum(AUDIT_NOUNS).optional(),
    actor_id: lookup(36).optional().describe('ID of the account or API key that made the change.'),
  }),
  status: 200,
  response: collection(auditEntry),
  errors: ['invalid_field'],
});

export const listAuditActors = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/audit-log/actors`,
  access: 'site',
  needs: 'admin',
  tag: 'Audit log',
  summary: 'List who made changes',
  params: siteParams,
  status: 200,
  response: collection(auditActor),
});
