import { z } from 'zod';
import type { InboundEvent, InboundRequest } from '#server/connectors/connector.ts';
import { eventIdOf, readWebhook } from '#server/connectors/webhooks.ts';

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
  return eventIdOf([list, Type, State ?? '', OldEmailAddress ?? '', EmailAddress, date]);
}

export function parse(request: InboundRequest): InboundEvent[] {
  const body = readWebhook(delivery, request, "This isn't a Campaign Monitor webhook.");
  const { ListID: list, Events: events } = body;
  return events.flatMap((told) => {
    const meaning = meaningOf(told, list);
    // Its times are local to the client, without a zone.
    return meaning === null ? [] : [{ id: idOf(list, told), at: null, ...meaning }];
  });
}
