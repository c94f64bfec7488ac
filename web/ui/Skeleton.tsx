import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

const BAR = 'animate-breathe rounded-md bg-hover';
const CARD = 'rounded-lg border border-line bg-surface';

interface Shape {
  className: string;
  above?: ReactNode;
  item: (index: number, count: number) => ReactNode;
}

const SHAPES = {
  rows: {
    className: `divide-y divide-line ${CARD}`,
    item: (index) => (
      <div key={index} className="flex items-center gap-4 p-4">
        <div className="flex-1 space-y-2">
          <div className={`${BAR} h-4 w-1/3`} />
          <div className={`${BAR} h-3 w-2/3`} />
        </div>
        <div className={`${BAR} h-8 w-16`} />
      </div>
    ),
  },
  cards: {
    className: 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3',
    item: (index) => (
      <div key={index} className={`space-y-3 p-5 ${CARD}`}>
        <div className={`${BAR} h-24 w-full`} />
        <div className={`${BAR} h-4 w-1/2`} />
      </div>
    ),
  },
  /** Cards below each other, of a screen about one thing. */
  panels: {
    className: 'flex flex-col gap-6',
    item: (index) => (
      <div key={index} className={`p-5 ${CARD}`}>
        <div className={`${BAR} h-4 w-32`} />
        <div className="mt-5 space-y-4">
          <div className={`${BAR} h-9 w-full`} />
          <div className={`${BAR} h-4 w-2/3`} />
          <div className={`${BAR} h-9 w-full`} />
        </div>
      </div>
    ),
  },
  /** Four figures, and cards with charts. */
  figures: {
    above: (
      <div className="mb-4 grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
        {[1, 2, 3, 4].map((tile) => (
          <div key={tile} className="space-y-2 bg-surface px-4 py-4 sm:px-5">
            <div className={`${BAR} h-3 w-1/3`} />
            <div className={`${BAR} h-7 w-1/2`} />
            <div className={`${BAR} h-3 w-3/4`} />
            <div className={`${BAR} h-3 w-2/3`} />
          </div>
        ))}
      </div>
    ),
    className: 'grid gap-4 xl:grid-cols-2',
    item: (index) => (
      <div key={index} className={`p-5 ${CARD}`}>
        <div className={`${BAR} h-4 w-32`} />
        <div className={`${BAR} mt-5 h-60 w-full`} />
      </div>
    ),
  },
  /** A tall frame with one thing in it, such as the preview of a page. */
  preview: {
    className: '',
    item: (index) => (
      <div key={index} className={`p-4 ${CARD}`}>
        <div className={`${BAR} h-[32rem] w-full`} />
      </div>
    ),
  },
  form: {
    className: 'max-w-xl space-y-5',
    item: (index) => (
      <div key={index} className="space-y-2">
        <div className={`${BAR} h-4 w-28`} />
        <div className={`${BAR} h-9 w-full`} />
      </div>
    ),
  },
  text: {
    className: 'space-y-2',
    item: (index, count) => (
      <div key={index} className={`${BAR} h-4 ${index === count - 1 ? 'w-1/2' : 'w-full'}`} />
    ),
  },
} satisfies Record<string, Shape>;

/** Stands for what is loading, after 150 ms. Give the shape that the loaded thing will have. */
export function Skeleton({ shape = 'rows', count = 3 }: { shape?: keyof typeof SHAPES; count?: number }) {
  const { t } = useTranslation('ui');
  const { above, className, item }: Shape = SHAPES[shape];
  return (
    <div role="status" className="animate-appear">
      <span className="sr-only">{t('loading')}</span>
      {above}
      <div className={className}>{Array.from({ length: count }, (_, index) => item(index, count))}</div>
    </div>
  );
}
