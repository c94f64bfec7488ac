import { useId } from 'react';
import type { PublicPage } from '#contract/preference-pages.ts';
import { usePage } from './page-context.tsx';
import { FIELD, listText } from './view.ts';

type Props = {
  list: PublicPage['lists'][number];
  on: boolean;
  /** It is off, and an aged link cannot switch it on. */
  isLocked: boolean;
  /** It is on, but still has to be confirmed by email. */
  isWaiting: boolean;
  onToggle: (on: boolean) => void;
};

/** One list: a row in the calm template, a card in the stacked one. All of it is the switch's label. */
export function ListSwitch({ list, on, isLocked, isWaiting, onToggle }: Props) {
  const { view, t } = usePage();
  const whyId = useId();
  const { name, description } = listText(list, view.language);
  return (
    <label className="pp-list">
      <span className="pp-list-text">
        <span className="pp-list-name">{name}</span>
        {description && <span className="pp-list-description">{description}</span>}
        {(isLocked || isWaiting) && (
          <span className="pp-list-description pp-list-why" id={whyId}>
            {t(isLocked ? 'aged.off' : 'pending.list')}
          </span>
        )}
      </span>
      <span className="pp-list-switch">
        <span className="pp-list-state" aria-hidden="true">
          <span>{!isWaiting && t('pref_template.on')}</span>
          <span>{t('pref_template.off')}</span>
        </span>
        <input type="hidden" name={FIELD.list} value={list.id} />
        <input
          type="checkbox"
          // A native checkbox says itself whether it is on, also without JavaScript.
          // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
          role="switch"
          className="pp-switch"
          name={FIELD.on}
          value={list.id}
          checked={on}
          disabled={isLocked}
          aria-describedby={isLocked || isWaiting ? whyId : undefined}
          onChange={(event) => onToggle(event.target.checked)}
        />
      </span>
    </label>
  );
}
