import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Dashboard, DashboardRange } from '#contract/dashboard.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { usePermission, useRole } from '../../account/permissions.ts';
import { useNumber } from '../../i18n/use-number.ts';
import { useSite } from '../../site/current-site.tsx';
import { OpenPage } from '../../components/OpenPage.tsx';
import { Mark } from '../../components/scenes/shapes.tsx';
import { useFigures, useOnboardingFacts } from './dashboard.api.ts';
import { type Endpoint, isForAdmin, type Problem, summaryOf } from './figures.logic.ts';
import { isEmpty } from './is-empty.logic.ts';
import { stepsLeft } from './onboarding.logic.ts';
import { useChecklist } from './use-checklist.ts';

/** Whether changes arrive, in a sentence or two; the site's description until there are any. */
export function Summary({ range, description }: { range: DashboardRange; description: string }) {
  const figures = useFigures(range).data;
  if (!figures || isEmpty(figures)) return description;
  return <Sentences figures={figures} />;
}

function Sentences({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const { kind, arrived, total, problem, alsoOff } = summaryOf(figures);
  const last = t(`summary.last.${figures.range}`);
  const saved = { count: figures.choices.now, number: number(figures.choices.now), last };
  const lead = {
    all: () => t('summary.all', saved),
    delivered: () => t('summary.delivered', { count: total, number: number(total), last }),
    some: () => t('summary.some', { arrived: number(arrived), total: number(total), last }),
    none: () => t('summary.none', { last }),
    // Why nothing was sent is what the next sentence says.
    unsent: () => t(problem?.kind === 'unconnected' ? 'summary.saved' : 'summary.saved_only', saved),
  };
  if (kind === 'all' && problem === null && alsoOff.length === 0) return <AllWell>{lead.all()}</AllWell>;
  return (
    <>
      {lead[kind]()} {kind === 'delivered' && <UnsentChanges figures={figures} />}{' '}
      {problem && <ProblemSentence problem={problem} />} {problem && isForAdmin(problem) && <AskAdmin />}{' '}
      <AlsoOff endpoints={alsoOff} />
    </>
  );
}

/** In colour. On wider screens, nothing below moves when it takes the description's place. */
function AllWell({ children }: { children: ReactNode }) {
  return (
    <span className="mt-1.5 flex w-fit items-start gap-2.5 rounded-lg bg-accent-soft py-1 pr-3 pl-2.5 text-ink sm:-mb-3.5">
      <svg viewBox="0 0 44 44" aria-hidden fill="none" className="size-5 shrink-0">
        <Mark x={22} y={24} />
      </svg>
      <span>{children}</span>
    </span>
  );
}

/** What the deliveries don't show, and where to look at it or put it right. */
function UnsentChanges({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const format = useNumber();
  const { uncovered, covered_later: later, is_partial: isPartial } = figures.choices.unsent_because;
  const { integrations, from } = figures;
  const [tool] = integrations;
  const counted = (count: number) =>
    isPartial ? { count: count + 1, number: `${format(count)}+` } : { count, number: format(count) };
  return (
    <>
      {uncovered > 0 && (
        <>
          {t('summary.uncovered', counted(uncovered))}{' '}
          <TextLink to="/evidence" search={{ since: from, chose: 'true' }}>
            {t('summary.see_choices')}
          </TextLink>
        </>
      )}{' '}
      {later > 0 && t('summary.covered_later', counted(later))}{' '}
      {later > 0 && integrations.length > 1 && (
        <TextLink to="/integrations">{t('summary.compare_with_tools')}</TextLink>
      )}
      {later > 0 && tool !== undefined && integrations.length === 1 && (
        <TextLink to="/integrations/$id" params={{ id: tool.id }} search={{ tab: 'comparison' }}>
          {t('summary.compare_with', { name: tool.name })}
        </TextLink>
      )}
    </>
  );
}

/** For people who can't solve the problem themselves. */
function AskAdmin() {
  const { t } = useTranslation('figures');
  const isKnown = useRole() !== null;
  const isAdmin = usePermission('admin');
  return isKnown && !isAdmin ? t('summary.ask_admin') : null;
}

function ProblemSentence({ problem }: { problem: Problem }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  if (problem.kind === 'unconnected') return t('summary.unconnected');
  if ('count' in problem) {
    const { kind, count } = problem;
    const text = t(`summary.${kind}`, { count, number: number(count) });
    return kind === 'failed' ? <strong className="font-medium text-danger">{text}</strong> : text;
  }
  const { kind } = problem;
  if (kind === 'endpoint_off') return <EndpointOff endpoint={problem.endpoint} />;
  const { name } = 'endpoint' in problem ? problem.endpoint : problem.integration;
  const tone = kind === 'resting' ? 'text-warning' : 'text-danger';
  return <strong className={`font-medium wrap-anywhere ${tone}`}>{t(`summary.${kind}`, { name })}</strong>;
}

function EndpointOff({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation('figures');
  const { name, disabled_because: why } = endpoint;
  return (
    <strong className="font-medium wrap-anywhere text-danger">
      {t(`summary.endpoint_off.${why ?? 'failing'}`, { name })}
    </strong>
  );
}

/** Changes are lost for as long as an action is off, so that is said even where a tool needs somebody first. */
function AlsoOff({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const [first, ...others] = endpoints;
  if (first === undefined) return null;
  if (others.length === 0) return <EndpointOff endpoint={first} />;
  const count = endpoints.length;
  return (
    <strong className="font-medium text-danger">
      {t('summary.endpoints_off', { count, number: number(count) })}
    </strong>
  );
}

/** A way to the first page, and the button for what the sentence names. */
export function HeaderActions({ range }: { range: DashboardRange }) {
  const { t } = useTranslation('dashboard');
  const site = useSite();
  const page = useOnboardingFacts().data?.first_page;
  return (
    <>
      {page && (
        <OpenPage site={site} page={page}>
          {t('open_page')}
        </OpenPage>
      )}
      <SummaryAction range={range} />
    </>
  );
}

function useIsChecklistShown(): boolean {
  const { isHidden, isDone, isBegun } = useChecklist();
  const facts = useOnboardingFacts().data;
  return !isHidden && !isDone && facts !== undefined && stepsLeft(facts, isBegun) > 0;
}

/** Renders nothing where there is nothing to do, or nothing that this person may do. */
function SummaryAction({ range }: { range: DashboardRange }) {
  const { t } = useTranslation('figures');
  const isAdmin = usePermission('admin');
  const canEdit = usePermission('editor');
  const figures = useFigures(range).data;
  const toSetUp = useOnboardingFacts().data?.to_set_up;
  const isChecklistShown = useIsChecklistShown();
  const problem = figures && !isEmpty(figures) ? summaryOf(figures).problem : null;
  if (problem === null || (isForAdmin(problem) && !isAdmin)) return null;
  if (problem.kind === 'unconnected') {
    return (
      <LinkButton to="/integrations" variant="primary">
        {t('summary.connect')}
      </LinkButton>
    );
  }
  if (problem.kind === 'failed') {
    return (
      <LinkButton to="/deliveries" search={{ status: 'failed' }} variant="primary">
        {t('summary.see_failed')}
      </LinkButton>
    );
  }
  if (problem.kind === 'unsent') {
    if (!canEdit) return null;
    if (toSetUp) {
      // The checklist offers it itself.
      return isChecklistShown ? null : (
        <LinkButton to="/integrations/$id/set-up" params={{ id: toSetUp.id }} variant="primary">
          {t('summary.set_up', { name: toSetUp.name })}
        </LinkButton>
      );
    }
    const search = { edit: 'new', list: problem.first.list_id };
    return (
      <LinkButton to="/actions" search={search} variant="primary">
        {t('summary.create_action')}
      </LinkButton>
    );
  }
  if ('endpoint' in problem) {
    return (
      <LinkButton to="/actions" hash={problem.endpoint.action_id} variant="primary">
        {t('summary.see_action')}
      </LinkButton>
    );
  }
  if ('count' in problem || problem.kind === 'resting') return null;
  const { id, name } = problem.integration;
  const { kind } = problem;
  const enter = kind === 'key' ? 'summary.enter_key' : kind === 'credentials' ? 'summary.enter' : null;
  return (
    <LinkButton
      to="/integrations/$id"
      params={{ id }}
      search={enter ? { connect: true } : {}}
      variant="primary"
    >
      {enter ? t(enter) : t('summary.fix', { name })}
    </LinkButton>
  );
}
