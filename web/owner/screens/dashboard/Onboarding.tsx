import { Check, ChevronRight, ListChecks, Sparkles, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Onboarding as Facts } from '#contract/dashboard.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { moveFocusToScreen } from '#web/ui/move-focus.ts';
import { IconButton } from '#web/ui/IconButton.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { Journey } from '../../components/scenes/Journey.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useOnboardingFacts } from './dashboard.api.ts';
import { onboarding, stepsLeft, type Task, TASKS } from './onboarding.logic.ts';
import { SendLink } from './SendLink.tsx';
import { useChecklist } from './use-checklist.ts';

/** The setup checklist, and what takes its place once all its steps are done. */
export function Checklist({ checklist }: { checklist: ReturnType<typeof useChecklist> }) {
  const { t } = useTranslation('first-steps');
  const { isJustDone, isBegun, hide, close } = checklist;
  return (
    <>
      <p role="status" className="sr-only">
        {isJustDone && t('all_done.title')}
      </p>
      {isJustDone ? <StepsDone onClose={close} /> : <Onboarding isBegun={isBegun} onHide={hide} />}
    </>
  );
}

/** Disappears once completed or hidden. */
function Onboarding({ isBegun, onHide }: { isBegun: boolean; onHide: () => void }) {
  const { t } = useTranslation(['first-steps', 'figures']);
  const canConnect = usePermission('admin');
  const facts = useOnboardingFacts();
  if (facts.isPending) return <Skeleton count={6} />;
  if (facts.isLoadingError) {
    return (
      <Card title={t('onboarding.title')}>
        <ErrorState error={facts.error} onRetry={() => void facts.refetch()} />
      </Card>
    );
  }
  if (!facts.data) return null;
  const tasks = onboarding(facts.data, canConnect);
  const { first_page: page, to_set_up: toSetUp } = facts.data;
  const done = tasks.filter((one) => one.isDone).length;
  if (stepsLeft(facts.data, isBegun) === 0) return null;
  return (
    <Card isPadded={false}>
      <Lead
        title={t('onboarding.title')}
        text={
          done === 0 ? t('onboarding.not_started') : t('onboarding.progress', { done, total: tasks.length })
        }
        done={done}
        close={<IconButton label={t('figures:checklist.hide')} icon={<X />} onPress={onHide} />}
      />
      {toSetUp && <SetUp tool={toSetUp} />}
      <ol className="divide-y divide-line">
        {tasks.map(({ task, isDone, isNext }) => (
          <li key={task} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
            <span
              className={`flex size-6 shrink-0 items-center justify-center rounded-full border ${
                isDone ? 'border-transparent bg-success-soft text-success' : 'border-line-strong'
              }`}
            >
              {isDone && <Check size={14} strokeWidth={2.5} aria-hidden />}
              <span className="sr-only">{isDone ? t('onboarding.done') : t('onboarding.open')}</span>
            </span>
            <span className="min-w-48 flex-1">
              <span className={`block font-medium ${isDone ? 'text-ink-muted' : ''}`}>
                {t(`tasks.${task}.title`)}
              </span>
              {!isDone && <span className="block text-[13px] text-ink-muted">{t(`tasks.${task}.text`)}</span>}
            </span>
            {!isDone && (
              <span className="max-sm:w-full max-sm:pl-10">
                <TaskLink task={task} isNext={isNext && !toSetUp} pageId={page?.id ?? null} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Proposes what the open steps ask for, from what a connected tool has. */
function SetUp({ tool: { id, name } }: { tool: NonNullable<Facts['to_set_up']> }) {
  const { t } = useTranslation(['first-steps', 'figures']);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 border-b border-line px-5 py-4">
      <Sparkles size={20} aria-hidden className="mx-0.5 shrink-0 text-accent" />
      <p className="min-w-48 flex-1 text-pretty">{t('set_up.text', { tool: name })}</p>
      <span className="max-sm:w-full max-sm:pl-10">
        <LinkButton to="/integrations/$id/set-up" params={{ id }} variant="primary">
          {t('figures:summary.set_up', { name })}
          <ChevronRight aria-hidden />
        </LinkButton>
      </span>
    </div>
  );
}

interface LeadProps {
  title: string;
  titleId?: string;
  text: string;
  done: number;
  close: ReactNode;
  children?: ReactNode;
}

/** The head of the checklist: what it says, and how far the first change has come. */
function Lead({ title, titleId, text, done, close, children }: LeadProps) {
  return (
    <div className="relative grid items-center gap-x-10 gap-y-5 rounded-t-lg bg-accent-soft px-5 py-6 md:grid-cols-2 md:pr-16 md:pl-6">
      <div>
        <h2 id={titleId} className="pr-8 text-xl font-semibold tracking-tight md:pr-0">
          {title}
        </h2>
        <p className="mt-1 text-pretty text-ink-muted">{text}</p>
        {children}
      </div>
      <Journey stops={TASKS.length} done={done} />
      <span ref={moveFocusToScreen} className="absolute top-3 right-3">
        {close}
      </span>
    </div>
  );
}

/** Says once that all steps are done, to whom did them here. */
function StepsDone({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['first-steps', 'ui']);
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="overflow-hidden rounded-lg border border-line">
      <Lead
        title={t('all_done.title')}
        titleId={titleId}
        text={t('all_done.text')}
        done={TASKS.length}
        close={<IconButton label={t('ui:close')} icon={<X />} onPress={onClose} />}
      >
        <div className="mt-4 flex flex-wrap gap-2">
          <LinkButton to="/deliveries">{t('all_done.deliveries')}</LinkButton>
          <LinkButton to="/evidence">{t('all_done.choices')}</LinkButton>
        </div>
      </Lead>
    </section>
  );
}

function TaskLink({ task, isNext, pageId }: { task: Task; isNext: boolean; pageId: string | null }) {
  const { t } = useTranslation(['first-steps', 'ui']);
  const { site_id } = useSite();
  const canConnect = usePermission('admin');
  const variant = isNext ? 'primary' : 'secondary';
  const label = (
    <>
      {t(`tasks.${task}.action`)}
      <ChevronRight aria-hidden />
    </>
  );
  switch (task) {
    case 'list':
      return (
        <LinkButton to="/create-list/$id" params={{ id: 'new' }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'page':
      return (
        <LinkButton to="/create-preference-page/$site" params={{ site: site_id }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'tool':
      if (!canConnect) return <Reason>{t('ui:ask_admin')}</Reason>;
      return (
        <LinkButton to="/integrations" variant={variant}>
          {label}
        </LinkButton>
      );
    case 'action':
      return (
        <LinkButton to="/actions" search={{ edit: 'new' }} variant={variant}>
          {label}
        </LinkButton>
      );
    case 'open':
      if (pageId === null) return <Reason>{t('tasks.open.needs_page')}</Reason>;
      return <SendLink pageId={pageId} isNext={isNext} />;
  }
}

/** Instead of a button: why there is none. */
function Reason({ children }: { children: string }) {
  return (
    <span className="block text-[13px] text-pretty text-ink-muted sm:max-w-72 sm:text-end">{children}</span>
  );
}

/** Reopens the checklist while it is incomplete. */
export function ShowChecklist({ onShow }: { onShow: () => void }) {
  const { t } = useTranslation('figures');
  const { isBegun } = useChecklist();
  const facts = useOnboardingFacts();
  if (!facts.data || stepsLeft(facts.data, isBegun) === 0) return null;
  return (
    <div ref={moveFocusToScreen} className="flex justify-center">
      <Button
        variant="ghost"
        icon={<ListChecks />}
        onPress={() => {
          onShow();
          window.scrollTo({ top: 0 });
        }}
      >
        {t('checklist.show')}
      </Button>
    </div>
  );
}
