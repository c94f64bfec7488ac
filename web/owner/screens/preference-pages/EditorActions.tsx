import { Ellipsis, History, Redo2, RotateCcw, Trash2, Undo2 } from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem } from '#web/ui/Menu.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { OpenPage } from '../../components/OpenPage.tsx';

interface EditorActionsProps {
  /** As it is published; a new one is not yet. */
  page: { id: string; url: string } | undefined;
  siteParams: SiteParams;
  canUndo: boolean;
  canRedo: boolean;
  onUndo: () => void;
  onRedo: () => void;
  onClear: () => void;
  onHistory: () => void;
  /** Where there is a draft to discard. */
  onDiscard: (() => void) | undefined;
}

/** What can be done with the page as a whole, beside its title. */
export const EditorActions = memo(Actions);

function Actions({ page, siteParams, canUndo, canRedo, onUndo, onRedo, ...more }: EditorActionsProps) {
  const { t } = useTranslation(['editor', 'pages']);
  const { onClear, onHistory, onDiscard } = more;
  return (
    <>
      <IconButton
        variant="outlined"
        label={t('undo')}
        icon={<Undo2 />}
        isDisabled={!canUndo}
        onPress={onUndo}
        aria-keyshortcuts="Control+Z Meta+Z"
      />
      <IconButton
        variant="outlined"
        label={t('redo')}
        icon={<Redo2 />}
        isDisabled={!canRedo}
        onPress={onRedo}
        aria-keyshortcuts="Control+Shift+Z Meta+Shift+Z"
      />
      {page && (
        <>
          <span className="sm:hidden">
            <IconButton
              variant="outlined"
              label={t('history.title')}
              icon={<History />}
              onPress={onHistory}
            />
          </span>
          <span className="max-sm:hidden">
            <Button icon={<History />} onPress={onHistory}>
              {t('history.title')}
            </Button>
          </span>
          <OpenPage site={siteParams} page={page}>
            {t('pages:editor.open')}
          </OpenPage>
        </>
      )}
      <Menu
        label={t('more')}
        trigger={<IconButton variant="outlined" label={t('more')} icon={<Ellipsis />} />}
      >
        {onDiscard && (
          <MenuItem id="discard" icon={<Trash2 />} onAction={onDiscard}>
            {t('draft.discard')}
          </MenuItem>
        )}
        <MenuItem id="clear" icon={<RotateCcw />} onAction={onClear}>
          {t('pages:editor.clear')}
        </MenuItem>
      </Menu>
    </>
  );
}
