import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import type { RouteResponse } from '#contract/route.ts';
import type { getCustomerLists } from '#contract/customers.ts';
import { Card } from '#web/ui/Card.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { useDay, RelativeTime } from '../../components/RelativeTime.tsx';
import { useCustomerLists, useSetList } from './customers.api.ts';
import { subscriptionStateOf } from './customers.logic.ts';

type CustomerList = RouteResponse<typeof getCustomerLists>['results'][number];

/** Each list with a switch; a change is recorded as a choice on the customer's behalf. */
export function CustomerLists({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const canChange = usePermission('editor');
  return (
    <Card title={t('lists.title')} description={canChange ? t('lists.help') : undefined} isPadded={false}>
      <ListsBody customer={customer} />
    </Card>
  );
}

function ListsBody({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const query = useCustomerLists(customer.id);
  if (query.isPending)
    return (
      <div className="p-5">
        <Skeleton shape="text" />
      </div>
    );
  if (query.isLoadingError)
    return (
      <div className="p-5">
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  return (
    <>
      <StateNotice customer={customer} />
      {query.data.length === 0 ? (
        <p className="p-5 text-ink-muted">
          {t('lists.none')} <TextLink to="/lists">{t('lists.to_lists')}</TextLink>
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {query.data.map((list) => (
            <Row key={list.notification_list_id} customer={customer} list={list} />
          ))}
        </ul>
      )}
    </>
  );
}

function StateNotice({ customer }: { customer: Customer }) {
  const { t } = useTranslation('customers');
  const day = useDay();
  const state = subscriptionStateOf(customer);
  if (state === 'active') return null;
  return (
    <div className="border-b border-line p-5">
      <Notice tone="warning">
        {state === 'paused'
          ? t('lists.paused', { date: day(customer.paused_until ?? '') })
          : t(state === 'unsubscribed' ? 'lists.left' : 'lists.wrong_recipient')}
      </Notice>
    </div>
  );
}

function Row({ customer, list }: { customer: Customer; list: CustomerList }) {
  const { t } = useTranslation('customers');
  const errorText = useErrorText();
  const { notification_list_id, name, subscribed, changed_at } = list;
  const hasLeft = customer.global_unsubscribe && customer.paused_until === null;
  const canChange = usePermission('editor');
  const set = useSetList(customer.id, (error) =>
    toast(`${t('not_saved')} ${errorText(error)}`, { tone: 'error' }),
  );

  function change(isOn: boolean) {
    set.mutate({ notification_list_id, subscribed: isOn });
    toast(t(isOn ? 'lists.joined' : 'lists.unsubscribed', { name }), {
      onUndo: () => set.mutate({ notification_list_id, subscribed: !isOn }),
    });
  }

  return (
    <li className="px-5 py-3">
      <SwitchField
        label={<span className="min-w-0 break-words">{name}</span>}
        description={hasLeft ? t('lists.off') : <Choice subscribed={subscribed} at={changed_at} />}
        isSelected={subscribed === true && !hasLeft}
        isDisabled={hasLeft || !canChange}
        onChange={change}
      />
    </li>
  );
}

/** When the customer has unsubscribed from all, the list's own choice says neither what counts nor since when. */
function Choice({ subscribed, at }: { subscribed: boolean | null; at: string | null }) {
  const { t } = useTranslation('customers');
  if (subscribed === null) return t('lists.never');
  return (
    <>
      {t(subscribed ? 'lists.on' : 'lists.off')}
      {at !== null && (
        <>
          {' · '}
          <RelativeTime at={at} />
        </>
      )}
    </>
  );
}
