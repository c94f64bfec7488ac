import { useTranslation } from 'react-i18next';

const BAR = 'animate-breathe rounded-md bg-hover';

/** Stands for what is loading, after 150 ms. Give the shape that the loaded thing will have. */
export function Skeleton({
  shape = 'rows',
  count = 3,
}: {
  /** `panels`: cards below each other, of a screen about one thing. `figures`: four of them, and cards with charts. */
  shape?: 'rows' | 'cards' | 'panels' | 'figures' | 'form' | 'text';
  count?: number;
}) {
  const { t } = useTranslation('ui');
  const items = Array.from({ length: count }, (_, index) => index);
  return (
    <div role="status" className="animate-appear">
      <span className="sr-only">{t('loading')}</span>
      {shape === 'rows' && (
        <div className="divide-y divide-line rounded-lg border border-line bg-surface">
          {items.map((item) => (
            <div key={item} className="flex items-center gap-4 p-4">
              <div className="flex-1 space-y-2">
                <div className={`${BAR} h-4 w-1/3`} />
                <div className={`${BAR} h-3 w-2/3`} />
              </div>
              <div className={`${BAR} h-8 w-16`} />
            </div>
          ))}
        </div>
      )}
      {shape === 'cards' && (
        <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
          {items.map((item) => (
            <div key={item} className="space-y-3 rounded-lg border border-line bg-surface p-5">
              <div className={`${BAR} h-24 w-full`} />
              <div className={`${BAR} h-4 w-1/2`} />
            </div>
          ))}
        </div>
      )}
      {shape === 'panels' && (
        <div className="flex flex-col gap-6">
          {items.map((item) => (
            <div key={item} className="rounded-lg border border-line bg-surface p-5">
              <div className={`${BAR} h-4 w-32`} />
              <div className="mt-5 space-y-4">
                <div className={`${BAR} h-9 w-full`} />
                <div className={`${BAR} h-4 w-2/3`} />
                <div className={`${BAR} h-9 w-full`} />
              </div>
            </div>
          ))}
        </div>
      )}
      {shape === 'figures' && (
        <div className="flex flex-col gap-4">
          <div className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
            {[1, 2, 3, 4].map((tile) => (
              <div key={tile} className="space-y-2 bg-surface px-4 py-4 sm:px-5">
                <div className={`${BAR} h-3 w-1/3`} />
                <div className={`${BAR} h-7 w-1/2`} />
                <div className={`${BAR} h-3 w-3/4`} />
                <div className={`${BAR} h-3 w-2/3`} />
              </div>
            ))}
          </div>
          <div className="grid gap-4 xl:grid-cols-2">
            {items.map((item) => (
              <div key={item} className="rounded-lg border border-line bg-surface p-5">
                <div className={`${BAR} h-4 w-32`} />
                <div className={`${BAR} mt-5 h-60 w-full`} />
              </div>
            ))}
          </div>
        </div>
      )}
      {shape === 'form' && (
        <div className="max-w-xl space-y-5">
          {items.map((item) => (
            <div key={item} className="space-y-2">
              <div className={`${BAR} h-4 w-28`} />
              <div className={`${BAR} h-9 w-full`} />
            </div>
          ))}
        </div>
      )}
      {shape === 'text' && (
        <div className="space-y-2">
          {items.map((item) => (
            <div key={item} className={`${BAR} h-4 ${item === count - 1 ? 'w-1/2' : 'w-full'}`} />
          ))}
        </div>
      )}
    </div>
  );
}
