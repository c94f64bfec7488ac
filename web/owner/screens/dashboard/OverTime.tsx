import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { BarChart, ChartLegend, type ChartSeries, ChartTable } from '#web/ui/BarChart.tsx';
import { Card } from '#web/ui/Card.tsx';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { useNumber } from '../../i18n/use-number.ts';
import { movesOf, pointsOf, total } from './figures.logic.ts';

const ALL = 'all';

export function ChoicesCard({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const series = [{ name: t('tile.choices'), tone: 'accent', values: figures.choices.periods }] as const;
  return <OverTime title={t('over_time.choices')} figures={figures} series={series} />;
}

export function MovesCard({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const [chosen, setChosen] = useState(ALL);
  const isKnown = figures.lists.some((list) => list.list_id === chosen);
  const moves = movesOf(figures.lists, isKnown ? chosen : null, figures.periods.length);
  const series: ChartSeries[] = [
    { name: t('tile.joins'), tone: 'accent', values: moves.joins },
    { name: t('tile.leaves'), tone: 'warning', values: moves.leaves, direction: 'down' },
  ];
  return (
    <OverTime title={t('over_time.moves')} figures={figures} series={series}>
      <div className="mb-3 flex flex-col gap-3">
        <div className="sm:w-56">
          <SelectField
            label={t('over_time.list')}
            options={[
              { value: ALL, label: t('over_time.all_lists') },
              ...figures.lists.map(({ list_id, name }) => ({ value: list_id, label: name })),
            ]}
            value={isKnown ? chosen : ALL}
            onChange={setChosen}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <ChartLegend series={series} />
          <p className="text-[13px] text-ink-muted">
            {t('over_time.sums', { joins: number(total(moves.joins)), leaves: number(total(moves.leaves)) })}
          </p>
        </div>
      </div>
    </OverTime>
  );
}

interface OverTimeProps {
  title: string;
  figures: Dashboard;
  series: readonly ChartSeries[];
  children?: ReactNode;
}

/** A chart, or its twin: a table of the same numbers. */
function OverTime({ title, figures, series, children }: OverTimeProps) {
  const { t } = useTranslation('figures');
  const language = useLanguage();
  const number = useNumber();
  const compact = useNumber({ notation: 'compact' });
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const points = pointsOf(figures, language, (day) => t('over_time.week_of', { day }));
  const common = { label: title, points, series, format: number };
  return (
    <Card
      title={title}
      description={t(`over_time.${figures.step}`)}
      action={
        <SegmentedControl
          label={t('over_time.view', { title })}
          value={view}
          onChange={setView}
          options={[
            { value: 'chart', label: t('over_time.chart'), icon: <ChartColumn /> },
            { value: 'table', label: t('over_time.table'), icon: <Table2 /> },
          ]}
        />
      }
    >
      {children}
      {view === 'chart' ? (
        <BarChart {...common} formatTick={compact} />
      ) : (
        <ChartTable {...common} pointHead={t(`over_time.head_${figures.step}`)} />
      )}
    </Card>
  );
}
