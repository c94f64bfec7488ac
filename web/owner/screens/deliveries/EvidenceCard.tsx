import { Trans, useTranslation } from 'react-i18next';
import { type Evidence, isAboutLists, type JudgedEvidence } from '#contract/choices.ts';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { ExactTime, useExactTime } from '../../components/RelativeTime.tsx';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { useEvidence } from './deliveries.api.ts';
import { JudgementText } from './Judgement.tsx';

/** Who chose what, when, how, and what they were shown. */
export function EvidenceCard({ choiceId }: { choiceId: string }) {
  const { t } = useTranslation('deliveries');
  return (
    <section>
      <h3 className="mb-3 font-semibold">{t('evidence.title')}</h3>
      <EvidenceBody choiceId={choiceId} />
    </section>
  );
}

function EvidenceBody({ choiceId }: { choiceId: string }) {
  const query = useEvidence(choiceId);
  if (query.isPending) return <Skeleton shape="text" count={6} />;
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <EvidenceFacts evidence={query.data} />;
}

export function EvidenceFacts({ evidence }: { evidence: JudgedEvidence }) {
  const { t } = useTranslation('deliveries');
  const shown = useLanguage();
  const unknown = <span className="text-ink-muted">{t('evidence.unknown')}</span>;
  return (
    <div className="rounded-lg border border-line bg-surface p-4 sm:p-5">
      <Facts>
        <Fact name={t('evidence.when')}>
          <ExactTime at={evidence.occurred_at} />
        </Fact>
        {evidence.test && <Fact name={t('evidence.test')}>{t('evidence.test_text')}</Fact>}
        <Fact name={t('evidence.how')}>
          {evidence.shown.undone ? t(`undone.${evidence.shown.undone.kind}`) : t(`source.${evidence.source}`)}
        </Fact>
        <ImportFacts evidence={evidence} />
        {evidence.shown.kept_opt_outs && <KeptFacts kept={evidence.shown.kept_opt_outs} />}
        {evidence.judgement && (
          <Fact name={t('judgement.made_by')}>
            <JudgementText judgement={evidence.judgement} />
          </Fact>
        )}
        {evidence.requested && (
          <>
            <Fact name={t('evidence.requested')}>
              <ExactTime at={evidence.requested.at} />
            </Fact>
            <Fact name={t('evidence.requested_ip')}>{evidence.requested.ip ?? unknown}</Fact>
          </>
        )}
        <Fact name={t('evidence.authority')}>{t(`authority.${evidence.authority}`)}</Fact>
        <Fact name={t('evidence.email')}>{evidence.email ?? unknown}</Fact>
        <Fact name={t('evidence.changed')}>
          <Changes evidence={evidence} />
        </Fact>
        <Fact name={t('evidence.shown')}>
          <Shown shown={evidence.shown} />
        </Fact>
        <Fact name={t('evidence.language')}>
          {evidence.language ? languageName(evidence.language, shown) : unknown}
        </Fact>
        <Fact name={t('evidence.ip')}>{evidence.ip ?? unknown}</Fact>
        {evidence.confirmed_ip !== null && (
          <Fact name={t('evidence.confirmed_ip')}>{evidence.confirmed_ip}</Fact>
        )}
        <Fact name={t('evidence.agent')}>{evidence.user_agent ?? unknown}</Fact>
        <Fact name={t('evidence.sequence')}>{evidence.sequence}</Fact>
        <Hash name={t('evidence.hash')} value={evidence.hash} />
        {evidence.previous_hash === null ? (
          <Fact name={t('evidence.previous_hash')}>{t('evidence.first')}</Fact>
        ) : (
          <Hash name={t('evidence.previous_hash')} value={evidence.previous_hash} />
        )}
      </Facts>
      <p className="mt-3 text-[13px] text-ink-muted">{t('evidence.hashes')}</p>
    </div>
  );
}

/** What tools had reported about the email before it was a customer's. */
function KeptFacts({ kept }: { kept: NonNullable<Evidence['shown']['kept_opt_outs']> }) {
  const { t } = useTranslation('deliveries');
  const time = useExactTime();
  const integrations = useIntegrations().data ?? [];
  return (
    <Fact name={t('evidence.kept')}>
      {kept.map(({ kind, list_id: listId, integration_id: integrationId, at }) => {
        const state = t(`evidence.file.states.${kind === 'complained' ? kind : 'unsubscribed'}`);
        const tool = integrations.find(({ id }) => id === integrationId)?.name;
        return (
          <span key={`${kind} ${listId}`} className="block">
            {[state, tool, time(at)].filter(Boolean).join(' · ')}
          </span>
        );
      })}
    </Fact>
  );
}

/** Where an imported choice comes from. */
function ImportFacts({ evidence: { shown, imported } }: { evidence: Evidence }) {
  const { t } = useTranslation('deliveries');
  const time = useExactTime();
  const from = shown.imported;
  if (from === undefined) return null;
  const state = from.suppression === undefined ? null : t(`evidence.file.states.${from.suppression}`);
  const since = from.suppressed_at === undefined ? null : time(from.suppressed_at);
  return (
    <>
      <Fact name={t('evidence.file.name')}>
        <span className="wrap-anywhere">{from.file_name}</span>
        {from.tool !== null && (
          <span className="block text-[13px] text-ink-muted">
            {t('evidence.file.tool', { tool: from.tool })}
          </span>
        )}
      </Fact>
      <Fact name={t('evidence.file.row')}>{from.rows.join(', ')}</Fact>
      {from.consent_at !== undefined && (
        <Fact name={t('evidence.file.consent_at')}>{time(from.consent_at)}</Fact>
      )}
      {imported?.consent_ip && <Fact name={t('evidence.file.consent_ip')}>{imported.consent_ip}</Fact>}
      {imported?.source && <Fact name={t('evidence.file.source')}>{imported.source}</Fact>}
      {(state ?? since) !== null && (
        <Fact name={t('evidence.file.state')}>{[state, since].filter(Boolean).join(' · ')}</Fact>
      )}
      {imported?.reason && <Fact name={t('evidence.file.reason')}>{imported.reason}</Fact>}
      {from.file_sha256 !== null && <Hash name={t('evidence.file.hash')} value={from.file_sha256} />}
    </>
  );
}

function Hash({ name, value }: { name: string; value: string }) {
  const { t } = useTranslation('deliveries');
  return (
    <Fact name={name} action={<CopyButton value={value} label={t('evidence.copy_hash')} />}>
      <code className="font-mono text-[13px] wrap-anywhere">{value}</code>
    </Fact>
  );
}

function whatBecameOf({ subscribed, declined, cleared }: Evidence['lists'][number]) {
  if (cleared) return 'evidence.cleared';
  if (subscribed) return 'evidence.joined';
  return declined ? 'evidence.declined' : 'evidence.left';
}

function Changes({ evidence }: { evidence: Evidence }) {
  const { t } = useTranslation('deliveries');
  const time = useExactTime();
  const others = evidence.events.filter((event) => !isAboutLists(event));
  const asked = evidence.shown.already_off;
  return (
    <ul>
      {others.map((event) => (
        <li key={event}>{t(`event.${event}`)}</li>
      ))}
      {evidence.lists.map((list) => (
        <li key={list.list_id}>
          <Trans
            t={t}
            i18nKey={whatBecameOf(list)}
            values={{ name: list.name }}
            components={{ b: <strong className="font-semibold" /> }}
          />
          {list.previous === null && <span className="text-ink-muted"> ({t('evidence.never_chosen')})</span>}
          {list.legal_basis !== undefined && (
            <span className="block text-[13px] text-ink-muted">
              {t('evidence.legal_basis', { basis: t(`basis.${list.legal_basis}`) })}
            </span>
          )}
          {list.confirmed_at !== undefined && (
            <span className="block text-[13px] text-ink-muted">
              {t('evidence.confirmed_at', { at: time(list.confirmed_at) })}
            </span>
          )}
        </li>
      ))}
      {asked?.everything && <li>{t('evidence.already_off_all')}</li>}
      {asked?.lists.map((list) => (
        <li key={`asked-${list.list_id}`}>
          <Trans
            t={t}
            i18nKey={list.deleted ? 'evidence.deleted_list' : 'evidence.already_off'}
            values={{ name: list.name || list.list_id }}
            components={{ b: <strong className="font-semibold" /> }}
          />
        </li>
      ))}
    </ul>
  );
}

function Shown({ shown }: { shown: Evidence['shown'] }) {
  const { t } = useTranslation('deliveries');
  const { operator, link_page: linkPage } = shown;
  const isNothing = shown.page_id === null && linkPage === undefined && operator === undefined;
  if (isNothing && shown.url === null && shown.lists.length === 0) {
    return <span className="text-ink-muted">{t('evidence.nothing_shown')}</span>;
  }
  return (
    <div className="flex flex-col gap-1">
      {linkPage !== undefined && <p>{t('evidence.link_page')}</p>}
      {shown.page_version !== null && <p>{t('evidence.version', { version: shown.page_version })}</p>}
      {shown.url !== null && <p className="font-mono text-[13px] wrap-anywhere">{shown.url}</p>}
      <ul className="flex flex-col gap-1">
        {shown.lists.map((list) => (
          <li key={list.list_id}>
            <strong className="font-semibold">{list.name}</strong>{' '}
            <span className="text-ink-muted">
              ({list.default_state ? t('evidence.default_on') : t('evidence.default_off')}
              {list.double_opt_in && `, ${t('evidence.double_opt_in')}`})
            </span>
            {list.description && <span className="block text-[13px] text-ink-muted">{list.description}</span>}
          </li>
        ))}
      </ul>
      {operator !== undefined && (
        <p className="text-[13px] whitespace-pre-line wrap-anywhere text-ink-muted">
          {t('evidence.operator')}:{'\n'}
          {Object.values(operator)
            .filter((one) => one !== '')
            .join('\n')}
        </p>
      )}
    </div>
  );
}
