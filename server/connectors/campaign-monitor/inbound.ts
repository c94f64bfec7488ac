import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError, type InboundEvent, type InboundRequest } from '#server/connectors/connector.ts';

const delivery = z.object({
  ListID: z.string(),
  Events: z.array(
    z.object({
      Type: z.string(),
      EmailAddress: z.string(),
      Date: z.string(),
      State: z.string().nullish(),
      OldEmailAddress: z.string().nullish(),
    }),
  ),
});

type Told = z.infer<typeof delivery>['Events'][number];

// Not `Deleted`: that is no opt-out, and how we take people out of a list ourselves.
const DEACTIVATED = { Unsubscribed: 'list_unsubscribed', Bounced: 'bounced' } as const;

function meaningOf(
  told: Told,
  list: string,
): Pick<InboundEvent, 'email' | 'kind' | 'resource' | 'newEmail'> | null {
  const { Type, EmailAddress: email, State, OldEmailAddress: old } = told;
  if (Type === 'Subscribe') return { email, kind: 'list_subscribed', resource: list };
  if (Type === 'Deactivate' && (State === 'Unsubscribed' || State === 'Bounced')) {
    const kind = DEACTIVATED[State];
    return kind === 'bounced' ? { email, kind } : { email, kind, resource: list };
  }
  if (Type === 'Update' && old && old.toLowerCase() !== email.toLowerCase()) {
    return { email: old, kind: 'email_changed', newEmail: email };
  }
  return null;
}

/** The tool numbers no events. */
function idOf(list: string, { Type, State, OldEmailAddress, EmailAddress, Date: date }: Told): string {
  const parts = [list, Type, State ?? '', OldEmailAddress ?? '', EmailAddress, date];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function json(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return null;
  }
}

export function parse({ rawBody }: InboundRequest): InboundEvent[] {
  const read = delivery.safeParse(json(rawBody));
  if (!read.success) throw new ConnectorError('refused', 'This is no body of a webhook of Campaign Monitor.');
  const { ListID: list, Events: events } = read.data;
  return events.flatMap((told) => {
    const meaning = meaningOf(told, list);
    // Its times are local to the client, without a zone.
    return meaning === null ? [] : [{ id: idOf(list, told), at: null, ...meaning }];
  });
}
