import { Languages } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ListFigures } from '#contract/dashboard.ts';
import type { List } from '#contract/lists.ts';
import { moveTo } from '#web/ui/order.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { ListNumbers } from './ListNumbers.tsx';
import { RowMenu } from '../../components/RowMenu.tsx';

interface ListRowProps {
  list: List;
  /** Undefined while they load, or if that failed. */
  figures: ListFigures | undefined;
  ids: string[];
  position: number;
  onOrder: (ids: string[]) => void;
  onEdit: () => void;
  onDelete: () => void;
}

export function ListRow({ list, figures, ids, position, onOrder, onEdit, onDelete }: ListRowProps) {
  const { t } = useTranslation('lists');
  return (
    <>
      <ListAbout list={list} figures={figures} />
      <RowMenu
        label={t('more', { name: list.name })}
        onEdit={onEdit}
        onDelete={onDelete}
        move={{ position, total: ids.length, to: (index) => onOrder(moveTo(ids, position, index)) }}
      />
    </>
  );
}

/** A list, read-only. */
export function ListAbout({ list, figures }: Pick<ListRowProps, 'list' | 'figures'>) {
  const { t } = useTranslation('lists');
  return (
    <div className="min-w-0 flex-1 py-1.5 pointer-coarse:py-3">
      <p className="font-medium break-words">{list.name}</p>
      {list.description && <p className="line-clamp-2 break-words text-ink-muted">{list.description}</p>}
      <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
        <Badge tone={list.subscription_default_state ? 'accent' : 'neutral'}>
          {list.subscription_default_state ? t('on_by_default') : t('off_by_default')}
        </Badge>
        {list.double_opt_in && <Badge>{t('double_opt_in')}</Badge>}
        {list.legal_basis !== null && <Badge>{t(`basis.${list.legal_basis}`)}</Badge>}
        <TranslatedInto list={list} />
      </div>
      {figures && <ListNumbers list={list} figures={figures} />}
    </div>
  );
}

function TranslatedInto({ list }: { list: List }) {
  const { t } = useTranslation('lists');
  const shown = useLanguage();
  const languages = list.translations.map((one) => one.language);
  if (languages.length === 0) return null;
  const names = languages.map((language) => languageName(language, shown)).join(', ');
  return (
    <span className="inline-flex items-center gap-1 text-xs text-ink-muted" title={names}>
      <Languages size={12} aria-hidden />
      <span aria-hidden className="uppercase">
        {languages.join(' · ')}
      </span>
      <span className="sr-only">{t('translated', { languages: names })}</span>
    </span>
  );
}
