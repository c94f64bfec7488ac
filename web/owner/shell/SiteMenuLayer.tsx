import { useTranslation } from 'react-i18next';
import { MenuItem, MenuLayer, MenuSection } from '#web/ui/Menu.tsx';
import { useSite } from '../site/current-site.tsx';
import type { LazyLayerProps } from '../components/LazyMenu.tsx';

export function SiteMenuLayer(layer: LazyLayerProps) {
  const { t } = useTranslation('shell');
  const { site, sites, select } = useSite();
  return (
    <MenuLayer {...layer} label={t('switch_site')} placement="bottom start">
      <MenuSection
        title={t('sites')}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[site.id]}
        onSelectionChange={(keys) => {
          const [key] = keys;
          if (typeof key === 'string') select(key);
        }}
      >
        {sites.map((one) => (
          <MenuItem key={one.id} id={one.id}>
            {one.name}
          </MenuItem>
        ))}
      </MenuSection>
    </MenuLayer>
  );
}
