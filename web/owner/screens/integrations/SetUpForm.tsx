import { ArrowLeft, Check, Info, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import type { ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';
import { Card } from '#web/ui/Card.tsx';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { ConnectorText } from '../../components/ConnectorText.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import {
  type Choices,
  directionsOf,
  isLinked,
  isReported,
  isWanted,
  linkedAs,
  linkedProposals,
  linkList,
  newLists,
  similarName,
  sortedLists,
  tickAction,
  tickOne,
  tickPage,
  type Ticks,
  unlinkedLists,
} from './set-up.logic.ts';
import { useDeed } from './use-action-names.ts';

interface FormProps {
  connector: ConnectorInfo;
  proposals: Proposals;
  choices: Choices;
  /** Until then nothing comes back from the tool. */
  needsWebhook: boolean;
  onChoices: (choices: Choices) => void;
  isBusy: boolean;
}

const LISTS_TEXT = {
  both: 'setup.lists_text',
  both_later: 'setup.lists_text_webhook',
  one_way: 'setup.lists_text_one_way',
} as const;

/** Every proposal with what there is to choose, by what it is about. */
export function SetUpForm(props: FormProps) {
  const { t } = useTranslation('integrations');
  const { connector, proposals, choices } = props;
  const tool = connector.name;
  const { certain, doubtful, done } = sortedLists(proposals);
  const hasPage = proposals.page !== null && !proposals.page.exists;
  return (
    <>
      {certain.length > 0 && (
        <Lists
          {...props}
          title={t('setup.lists')}
          text={t(LISTS_TEXT[directionsOf(certain, props.needsWebhook)], { tool })}
          lists={certain}
        />
      )}
      {doubtful.length > 0 && (
        <Lists {...props} title={t('setup.decide')} text={t('setup.decide_text')} lists={doubtful} />
      )}
      <Unlinked tool={tool} names={unlinkedLists(proposals, choices)} />
      {hasPage ? <PageCard {...props} /> : <PagesCard {...props} />}
      <Others {...props} />
      {done.length > 0 && <Done lists={done} />}
    </>
  );
}

interface ListsProps extends FormProps {
  title: string;
  text: string;
  lists: readonly ProposedList[];
}

function Lists({ title, text, lists, ...props }: ListsProps) {
  return (
    <Card title={title} description={text} isPadded={false}>
      <ul className="divide-y divide-line">
        {lists.map((list) => (
          <li key={list.key} className="px-5 py-4">
            <ListRow {...props} list={list} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Lists of the site that nothing in the tool follows. */
export function Unlinked({ tool, names }: { tool: string; names: readonly string[] }) {
  const { t } = useTranslation('integrations');
  const format = listFormat(useLanguage());
  if (names.length === 0) return null;
  return <Notice>{t('setup.unlinked', { count: names.length, lists: format.format(names), tool })}</Notice>;
}

function ListRow({
  list: proposed,
  ...props
}: FormProps & {
  list: ProposedList;
}) {
  const { t } = useTranslation('integrations');
  const { connector, proposals, choices, onChoices, isBusy, needsWebhook } = props;
  const { ticks, links } = choices;
  const list = linkedAs(proposed, links, proposals.site_lists);
  const tool = connector.name;
  const isInLanguages = list.resources.some(({ language }) => language !== null);
  const isOn = isLinked(list) || isWanted(ticks, list);
  const names = list.resources.map(({ name }) => name).join(', ');
  const alike = list.id === null && proposed.doubt === null ? similarName(list, proposals.site_lists) : null;
  return (
    <div role="group" aria-label={list.tool_name} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="text-xs text-ink-muted">{t('setup.there', { tool })}</p>
          <p className="font-medium wrap-anywhere">{list.tool_name}</p>
          {(names !== list.tool_name || isInLanguages) && (
            <p className="text-[13px] wrap-anywhere text-ink-muted">
              {names}
              {isInLanguages && `\u00a0· ${t('setup.in_languages')}`}
            </p>
          )}
        </div>
        <div className="w-full sm:w-64">
          <p aria-hidden className="mb-1 text-xs text-ink-muted">
            {t('setup.yours')}
          </p>
          {isLinked(list) ? (
            <p className="text-ink-muted wrap-anywhere">{t('setup.linked', { name: list.name })}</p>
          ) : (
            <div className="flex flex-col gap-3">
              <LinkField {...props} list={list} isOn={isOn} />
              {isOn && list.id === null && (
                <div>
                  <p aria-hidden className="mb-1 text-xs text-ink-muted">
                    {t('setup.new_name')}
                  </p>
                  <TextField
                    label={`${t('setup.new_name')}: ${list.tool_name}`}
                    isLabelHidden
                    value={choices.names.get(list.key) ?? list.name}
                    isDisabled={isBusy}
                    maxLength={MAX_LIST_NAME}
                    onChange={(name) =>
                      onChoices({ ...choices, names: new Map(choices.names).set(list.key, name) })
                    }
                  />
                </div>
              )}
            </div>
          )}
          {alike !== null && (
            <p className="mt-1 text-[13px] text-pretty text-ink-muted">
              {t('setup.similar', { name: alike })}
            </p>
          )}
        </div>
      </div>
      {proposed.doubt !== null && (
        <Doubt>{t(`setup.doubt.${proposed.doubt}`, { tool, name: proposed.name })}</Doubt>
      )}
      <ul className="flex flex-col gap-1.5">
        {list.actions.map((action) => (
          <li key={action.key}>
            <ActionLine
              action={action}
              withTarget={list.resources.length > 1}
              isTicked={ticks.has(action.key)}
              isBusy={isBusy}
              tool={tool}
              doubt={action.doubt === list.doubt ? null : action.doubt}
              onTick={(on) => onChoices({ ...choices, ticks: tickAction(ticks, list, action.key, on) })}
            />
          </li>
        ))}
        <Inbound {...{ list, isOn, tool, needsWebhook }} />
      </ul>
    </div>
  );
}

/** Of a list, as its field takes it. */
const MAX_LIST_NAME = 100;

const NEW = 'new';
const NONE = 'none';

/** Which list of the site the tool's list stands for. */
function LinkField({
  list,
  isOn,
  proposals,
  choices,
  onChoices,
  isBusy,
}: FormProps & { list: ProposedList; isOn: boolean }) {
  const { t } = useTranslation('integrations');
  return (
    <SelectField
      label={t('setup.link_of', { name: list.tool_name })}
      isLabelHidden
      value={isOn ? (list.id ?? NEW) : NONE}
      isDisabled={isBusy}
      options={[
        { value: NEW, label: t('setup.new_list') },
        ...proposals.site_lists.map(({ id, name }) => ({ value: id, label: name })),
        { value: NONE, label: t('setup.no_link') },
      ]}
      onChange={(value) => {
        const listId = value === NEW ? null : value === NONE ? undefined : value;
        onChoices(linkList(choices, list, listId, proposals));
      }}
    />
  );
}

function Doubt({ children }: { children: ReactNode }) {
  return (
    <p className="flex gap-1.5 text-[13px] text-pretty text-warning">
      <Info size={14} aria-hidden className="mt-0.75 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

interface InboundProps {
  list: ProposedList;
  isOn: boolean;
  tool: string;
  needsWebhook: boolean;
}

/** What comes back is no choice: it follows from the actions. */
function Inbound({ list, isOn, tool, needsWebhook }: InboundProps) {
  const { t } = useTranslation('integrations');
  if (list.actions.length === 0) return null;
  const comesBack = needsWebhook ? 'setup.comes_back_later' : 'setup.comes_back';
  const told = isReported(list) ? comesBack : 'setup.comes_not_back';
  const Icon = isOn ? ArrowLeft : Minus;
  return (
    <li className="flex gap-3 text-[13px] text-ink-muted">
      <span className="flex w-4.5 shrink-0 justify-center pt-0.75">
        <Icon size={14} aria-hidden />
      </span>
      <span className="min-w-0 text-pretty">{t(isOn ? told : 'setup.not_linked', { tool })}</span>
    </li>
  );
}

interface ActionLineProps {
  action: ProposedAction;
  withTarget: boolean;
  isTicked: boolean;
  isBusy: boolean;
  tool: string;
  doubt: ProposedAction['doubt'];
  onTick: (isOn: boolean) => void;
}

function ActionLine({ action, withTarget, isTicked, isBusy, tool, doubt, onTick }: ActionLineProps) {
  const { t } = useTranslation('integrations');
  const deedOf = useDeed();
  const deed = withTarget && action.target ? `${deedOf(action)}: ${action.target.name}` : deedOf(action);
  const words = t(`setup.when.${action.event}`, { deed, tool });
  if (action.exists) {
    return (
      <p className="flex gap-3 text-ink-muted">
        <Check size={18} aria-hidden className="shrink-0 text-success" />
        <span className="min-w-0 wrap-anywhere">
          {words} <span className="text-[13px]">({t('setup.exists')})</span>
        </span>
      </p>
    );
  }
  return (
    <CheckboxField
      isSelected={isTicked}
      isDisabled={isBusy}
      onChange={onTick}
      label={<span className="wrap-anywhere">{words}</span>}
      description={doubt !== null ? t(`setup.doubt.${doubt}`, { tool }) : undefined}
    />
  );
}

function PageCard({ proposals, choices, onChoices, isBusy }: FormProps) {
  const { t } = useTranslation('integrations');
  const { ticks } = choices;
  const onTicks = (next: Ticks) => onChoices({ ...choices, ticks: next });
  const shown = useLanguage();
  const { page, languages } = proposals;
  if (page === null) return null;
  const isOn = ticks.has(page.key);
  const names = listFormat(shown).format(
    (languages?.languages ?? []).map((language) => languageName(language, shown)),
  );
  return (
    <Card title={t('setup.page')} description={t('setup.page_text')}>
      <div className="flex flex-col gap-2">
        {page.doubt !== null && <Doubt>{t(`setup.doubt.${page.doubt}`)}</Doubt>}
        <CheckboxField
          isSelected={isOn}
          isDisabled={isBusy}
          onChange={(on) => onTicks(tickPage(ticks, proposals, on))}
          label={<span className="font-medium wrap-anywhere">{page.name}</span>}
          description={t('setup.page_at', {
            path: `/${page.custom_path}`,
            language: languageName(page.language, shown),
          })}
        />
        {languages !== null && (
          <div className="pl-7.5">
            <CheckboxField
              isSelected={ticks.has(languages.key)}
              isDisabled={isBusy || !isOn}
              onChange={(on) => onTicks(tickOne(ticks, languages.key, on))}
              label={t('setup.also_in', { languages: names })}
            />
          </div>
        )}
      </div>
    </Card>
  );
}

/** Pages that are there already, on which customers would see the new lists. */
function PagesCard({ proposals, choices, onChoices, isBusy }: FormProps) {
  const { t } = useTranslation('integrations');
  const format = listFormat(useLanguage());
  const { ticks, links } = choices;
  const names = newLists(linkedProposals(proposals, links), choices);
  const { pages } = proposals;
  if (names.length === 0 || pages.length === 0) return null;
  return (
    <Card title={t(pages.length > 1 ? 'setup.pages' : 'setup.page')} description={t('setup.pages_text')}>
      <div className="flex flex-col gap-2">
        {pages.map(({ key, name }) => (
          <CheckboxField
            key={key}
            isSelected={ticks.has(key)}
            isDisabled={isBusy}
            onChange={(on) => onChoices({ ...choices, ticks: tickOne(ticks, key, on) })}
            label={
              <span className="wrap-anywhere">
                {t('setup.add_to_page', { count: names.length, page: name })}
              </span>
            }
            description={pages.length === 1 && <span className="wrap-anywhere">{format.format(names)}</span>}
          />
        ))}
      </div>
    </Card>
  );
}

/** What is about no list, each with what the tool cannot undo. */
function Others({ connector, proposals, choices, onChoices, isBusy }: FormProps) {
  const { t } = useTranslation('integrations');
  const { actions } = proposals;
  const { ticks } = choices;
  if (actions.length === 0) return null;
  const tool = connector.name;
  return (
    <Card title={t('setup.everything')} description={t('setup.everything_text', { tool })}>
      <ul className="flex flex-col gap-3">
        {actions.map((action) => (
          <li key={action.key} className="flex flex-col gap-1">
            <ActionLine
              action={action}
              withTarget={false}
              isTicked={ticks.has(action.key)}
              isBusy={isBusy}
              tool={tool}
              doubt={action.doubt}
              onTick={(isOn) => onChoices({ ...choices, ticks: tickOne(ticks, action.key, isOn) })}
            />
            <Irreversible connector={connector} action={action} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Irreversible({ connector, action }: { connector: ConnectorInfo; action: ProposedAction }) {
  const { t } = useTranslation('integrations');
  const capability = connector.actions[action.type];
  if (!capability?.can || capability.irreversible === null || action.exists) return null;
  return (
    <p className="pl-7.5 text-[13px] text-pretty text-warning">
      {t('abilities.irreversible')}{' '}
      <ConnectorText connector={connector} place={`actions.${action.type}.irreversible`}>
        {capability.irreversible}
      </ConnectorText>
    </p>
  );
}

function Done({ lists }: { lists: readonly ProposedList[] }) {
  const { t } = useTranslation('integrations');
  return (
    <details>
      <summary className="cursor-pointer rounded-sm text-ink-muted pointer-coarse:py-3">
        {t('setup.done_already', { count: lists.length })}
      </summary>
      <ul className="mt-3 flex flex-col gap-2">
        {lists.map((list) => (
          <li key={list.key} className="flex gap-2">
            <Check size={18} aria-hidden className="shrink-0 text-success" />
            <span className="min-w-0 wrap-anywhere">{list.name}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
