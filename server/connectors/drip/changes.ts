import { type Change, ConnectorError, path, type ToolApi } from '#server/connectors/connector.ts';
import {
  findSubscriber,
  isTaken,
  isWorkflowActive,
  joinCampaign,
  leaveCampaign,
  renameSubscriber,
  type Subscriber,
  subscriptionsOf,
  unsubscribeAll,
  writeSubscriber,
} from './api.ts';

type Targeted = Extract<Change, { on: boolean; target: unknown }>;

const INACTIVE =
  'This person unsubscribed and is inactive in Drip. Only they can resubscribe, through a Drip form.';

export async function apply(api: ToolApi, change: Change): Promise<void> {
  if (change.type === 'switch_email') return switchEmail(api, change.from, change.email);
  const known = await findSubscriber(api, change.email);
  if (known === null && change.type === 'global_unsubscribe') {
    // An address that is not there yet must not be mailed once it is imported.
    if (change.on) await writeSubscriber(api, { email: change.email, initial_status: 'unsubscribed' });
    return;
  }
  if (known === null && !change.on) return;
  // `initial_status` is about new people only; `status` would override an opt-out.
  const person = known ?? (await writeSubscriber(api, { email: change.email, initial_status: 'active' }));
  if ((change.type === 'funnel' || change.type === 'automation') && change.on) requireMailed(person);
  await reactivateAround(person, () => bring(api, person, change));
}

function bring(
  api: ToolApi,
  person: Subscriber,
  change: Exclude<Change, { type: 'switch_email' }>,
): Promise<void> {
  if (change.type === 'global_unsubscribe') return setUnsubscribed(api, person, change.on);
  if (change.type === 'tag') return setTag(api, person, change);
  if (change.type === 'funnel') return setFunnel(api, person, change);
  if (change.type === 'automation') return setAutomation(api, person, change);
  throw new ConnectorError('refused', 'Drip has neither lists nor suppression groups.');
}

/** Drip changes active people only; how it says so is not written anywhere, so any refusal counts. */
export async function reactivateAround(person: Subscriber, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isRefusal = error instanceof ConnectorError && error.kind === 'refused';
    if (!isRefusal || person.status === 'active') throw error;
    throw new ConnectorError('refused', INACTIVE);
  }
}

async function setUnsubscribed(api: ToolApi, person: Subscriber, on: boolean): Promise<void> {
  if (on) {
    if (person.status === 'active') await unsubscribeAll(api, person);
    return;
  }
  if (person.status === 'active') return;
  const { status } = await writeSubscriber(api, { id: person.id }, { status: 'active' });
  if (status !== 'active') throw new ConnectorError('refused', INACTIVE);
}

async function setTag(api: ToolApi, person: Subscriber, { target, on }: Targeted): Promise<void> {
  if (person.tags.includes(target.id) === on) return;
  if (on) {
    const json = { tags: [{ email: person.email, tag: target.id }] };
    await api.call({ method: 'POST', path: '/tags', json });
  } else {
    await api.call({ method: 'DELETE', path: path`/subscribers/${person.id}/tags/${target.id}` });
  }
}

/** To put somebody into a campaign, or a workflow, is to mail them. */
function requireMailed(person: Subscriber): void {
  if (person.status === 'active') return;
  throw new ConnectorError(
    'refused',
    'This person unsubscribed from all emails in Drip. They have to resubscribe before anything can start.',
  );
}

async function setFunnel(api: ToolApi, person: Subscriber, { target, on, consent }: Targeted): Promise<void> {
  const subscriptions = await subscriptionsOf(api, person);
  const status = subscriptions.find((one) => one.campaign_id === target.id)?.status;
  if (!on) {
    if (status === 'active' || status === 'unconfirmed') await leaveCampaign(api, person, target.id);
    return;
  }
  // Drip has already asked this person.
  if (status === 'active' || (status === 'unconfirmed' && consent?.isConfirmed !== true)) return;
  // `removed` is what we leave behind; this one is the person's.
  if (status === 'unsubscribed') {
    throw new ConnectorError(
      'refused',
      'This person unsubscribed from this campaign in Drip. Only they can resubscribe, through a Drip form.',
    );
  }
  await joinCampaign(api, person, target.id, { startAt: 0, consent });
}

async function setAutomation(api: ToolApi, person: Subscriber, { target, on }: Targeted): Promise<void> {
  if (!on) {
    await api.call({ method: 'DELETE', path: path`/workflows/${target.id}/subscribers/${person.id}` });
    return;
  }
  // One that is not would do nothing, and not say so.
  if (!(await isWorkflowActive(api, target.id))) {
    throw new ConnectorError('refused', "The workflow isn't active in Drip, so no one can start it.");
  }
  const json = { subscribers: [{ email: person.email }] };
  await api.call({ method: 'POST', path: path`/workflows/${target.id}/subscribers`, json });
}

async function switchEmail(api: ToolApi, from: string, email: string): Promise<void> {
  if (from.toLowerCase() === email.toLowerCase()) return;
  const old = await findSubscriber(api, from);
  if (old === null) return;
  const other = await findSubscriber(api, email);
  if (other !== null) return merge(api, old, other);
  const answer = await renameSubscriber(api, old, email);
  if (answer.status !== 422) return;
  const appeared = isTaken(answer) ? await findSubscriber(api, email) : null;
  if (appeared !== null) return merge(api, old, appeared);
  if (old.status === 'active') {
    throw new ConnectorError('refused', "Drip doesn't accept the new email (422).");
  }
  // Inactive people cannot be changed, but their opt-out has to go along.
  await writeSubscriber(api, { email, initial_status: 'unsubscribed' });
}

/**
 * Brings tags, campaigns and opt-outs to the person who stays. The old one goes last: until then it says what there is
 * to bring, so a merge that broke off can be repeated, and what we did to it is never taken for an opt-out.
 */
async function merge(api: ToolApi, old: Subscriber, other: Subscriber): Promise<void> {
  await bringTags(api, old, other);
  if (other.status === 'active') {
    if (old.status === 'active') await bringCampaigns(api, old, other);
    else await unsubscribeAll(api, other);
  }
  // One who is not mailed stays, so that no import can revive the address.
  if (old.status === 'active') await api.call({ method: 'DELETE', path: path`/subscribers/${old.id}` });
}

async function bringTags(api: ToolApi, old: Subscriber, other: Subscriber): Promise<void> {
  const tags = old.tags.filter((tag) => !other.tags.includes(tag));
  if (tags.length === 0) return;
  try {
    await writeSubscriber(api, { id: other.id }, { tags });
  } catch (error) {
    const isRefusal = error instanceof ConnectorError && error.kind === 'refused';
    // The tags of an inactive person cannot be changed, which must not keep the old address in the mail.
    if (!isRefusal || other.status === 'active') throw error;
  }
}

async function bringCampaigns(api: ToolApi, old: Subscriber, other: Subscriber): Promise<void> {
  const there = new Map((await subscriptionsOf(api, other)).map((one) => [one.campaign_id, one.status]));
  for (const { campaign_id: campaign, ...one } of await subscriptionsOf(api, old)) {
    const status = there.get(campaign);
    if (one.status !== 'active') {
      if (status === 'active') await leaveCampaign(api, other, campaign);
    } else if (status === undefined && one.is_complete !== true) {
      // The series goes on where it was.
      const startAt = (one.last_sent_email_index ?? -1) + 1;
      await joinCampaign(api, other, campaign, { startAt, consent: { isConfirmed: true } });
    }
  }
}
