import { type Connector, ConnectorError, type Resource, type ToolApi } from '#server/connectors/connector.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { invalidField } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { scheduleTask, unscheduleTasks } from '#server/tools/schedule/scheduled-tasks.ts';
import { deleteLinkField, findLinkField, insertLinkField } from './link-fields.sql.ts';

/**
 * Looks the field up in the tool.
 * @returns it with the tool's name
 * @throws AppError `invalid_field`; ConnectorError
 */
export async function requireToolField(
  connector: Connector,
  api: ToolApi,
  { id, name }: Resource,
): Promise<Resource> {
  const fields = await connector.resources(api, 'fields');
  const found = fields.find((field) => field.id === id);
  if (found !== undefined) return found;
  throw invalidField(
    'link_field',
    `link_field: ${connector.name} has no text field "${name}" (${id}). Create it there, or choose another field.`,
  );
}

/** Chooses the field that holds the links, or none. Choosing the same field again changes nothing. */
export async function setLinkField(
  site: SiteDb,
  integrationId: string,
  field: Resource | null,
  now: Date,
): Promise<void> {
  const before = await findLinkField(site, integrationId);
  if (field !== null && before?.field_id === field.id) return;
  if (field !== null) return begin(site, integrationId, field, now);
  await deleteLinkField(site, integrationId);
  await unscheduleTasks(site, integrationId, 'link_field_sync');
}

/** Resumes the sync with new credentials; in another account it starts from scratch. */
export async function resumeLinkSync(
  site: SiteDb,
  integrationId: string,
  { isOtherAccount, now }: { isOtherAccount: boolean; now: Date },
): Promise<void> {
  const field = await findLinkField(site, integrationId);
  if (field === undefined) return;
  if (isOtherAccount) await begin(site, integrationId, { id: field.field_id, name: field.field_name }, now);
  else await scheduleTask(site, integrationId, 'link_field_sync', now);
}

async function begin(site: SiteDb, integrationId: string, field: Resource, now: Date): Promise<void> {
  await deleteLinkField(site, integrationId);
  await insertLinkField(site, {
    id: newId(),
    integration_id: integrationId,
    field_id: field.id,
    field_name: field.name,
    full_sync_cursor: null,
    full_sync_due_at: now,
    choice_cursor: null,
    trouble: null,
    created_at: now,
  });
  await scheduleTask(site, integrationId, 'link_field_sync', now);
}

/** Does the field still exist in the tool? Unclear answers are retried later. */
export async function isFieldInTool(connector: Connector, api: ToolApi, fieldId: string): Promise<boolean> {
  try {
    return (await connector.resources(api, 'fields')).some(({ id }) => id === fieldId);
  } catch (error) {
    const isOdd = error instanceof ConnectorError && error.isAboutChange;
    throw isOdd ? new ConnectorError('unavailable', error.message) : error;
  }
}
