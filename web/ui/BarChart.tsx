import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { axisTicks, labelledPoints } from './chart.logic.ts';

export type ChartTone = 'accent' | 'warning';

export interface ChartSeries {
  name: string;
  tone: ChartTone;
  values: readonly number[];
  /** Down is for what takes away; it is told apart by more than its colour. */
  direction?: 'up' | 'down';
}

export interface ChartPoint {
  key: string;
  /** Under the axis, where there is room. */
  short: string;
  /** What is read out and shown with the values. */
  long: string;
}

export interface BarChartProps {
  label: string;
  points: readonly ChartPoint[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Short enough for an axis. */
  formatTick: (value: number) => string;
}

const HEIGHT = 220;
const TOP = 8;
const BOTTOM = 26;
const LEFT = 40;
const LABEL_WIDTH = 64;

const FILLS: Record<ChartTone, string> = { accent: 'fill-accent', warning: 'fill-warning' };
const DOTS: Record<ChartTone, string> = { accent: 'bg-accent', warning: 'bg-warning' };

/**
 * Bars over time. One stop of the tab key; the arrow keys go from point to point, and what a point holds is shown and
 * read out. Beside it belongs a table with the same numbers.
 */
export function BarChart({ label, points, series, format, formatTick }: BarChartProps) {
  const [box, width] = useWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const last = points.length - 1;
  const at = chosen === null ? last : Math.min(chosen, last);
  const plot = plotOf(width, points.length, series);

  function onKeyDown(event: KeyboardEvent) {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, next)));
  }

  function onPointer(event: PointerEvent<HTMLDivElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
    setChosen(Math.min(last, Math.max(0, Math.floor(x / plot.slot))));
  }

  return (
    <div ref={box} className="relative" style={{ height: HEIGHT }}>
      {width > 0 && (
        <div
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={1}
          aria-valuemax={points.length}
          aria-valuenow={at + 1}
          aria-valuetext={wordsOf(points[at], series, at, format)}
          aria-orientation="horizontal"
          className="relative h-full touch-pan-y rounded-md"
          onKeyDown={onKeyDown}
          onFocus={() => setChosen((before) => before ?? last)}
          onBlur={() => setChosen(null)}
          onPointerMove={onPointer}
          onPointerDown={onPointer}
          onPointerLeave={() => setChosen(null)}
        >
          <Picture {...{ plot, points, series, formatTick, width }} chosen={chosen === null ? null : at} />
          {chosen !== null && <Tooltip {...{ points, series, format, at, width }} x={plot.middleOf(at)} />}
        </div>
      )}
    </div>
  );
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}

type Plot = ReturnType<typeof plotOf>;

function plotOf(width: number, count: number, series: readonly ChartSeries[]) {
  const highestOf = (direction: 'up' | 'down') =>
    Math.max(0, ...series.flatMap((one) => ((one.direction ?? 'up') === direction ? one.values : [])));
  const ticks = axisTicks(highestOf('up'), highestOf('down'));
  const [lowest, highest] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const scale = (HEIGHT - TOP - BOTTOM) / (highest - lowest);
  const slot = Math.max(1, width - LEFT) / count;
  return {
    ticks,
    slot,
    barWidth: Math.max(1, Math.min(28, slot * 0.7)),
    yOf: (value: number) => TOP + (highest - value) * scale,
    middleOf: (index: number) => LEFT + (index + 0.5) * slot,
  };
}

function Picture({
  plot,
  points,
  series,
  formatTick,
  width,
  chosen,
}: Pick<BarChartProps, 'points' | 'series' | 'formatTick'> & {
  plot: Plot;
  width: number;
  chosen: number | null;
}) {
  return (
    <svg width={width} height={HEIGHT} aria-hidden className="block overflow-visible text-[11px]">
      {chosen !== null && (
        <rect
          x={LEFT + chosen * plot.slot}
          y={TOP}
          width={plot.slot}
          height={HEIGHT - TOP - BOTTOM}
          className="fill-hover"
        />
      )}
      {plot.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={LEFT}
            x2={width}
            y1={plot.yOf(tick)}
            y2={plot.yOf(tick)}
            className={tick === 0 ? 'stroke-line-strong' : 'stroke-line'}
          />
          <text x={LEFT - 8} y={plot.yOf(tick)} dy="0.32em" textAnchor="end" className="fill-ink-muted">
            {formatTick(Math.abs(tick))}
          </text>
        </g>
      ))}
      {series.map((one) => (
        <Bars key={one.name} series={one} points={points} plot={plot} />
      ))}
      {labelledPoints(points.length, width - LEFT, LABEL_WIDTH).map((index) => (
        <text
          key={points[index]?.key}
          x={Math.min(plot.middleOf(index), width - 2)}
          y={HEIGHT - 6}
          textAnchor={width - plot.middleOf(index) < LABEL_WIDTH / 2 ? 'end' : 'middle'}
          className="fill-ink-muted"
        >
          {points[index]?.short}
        </text>
      ))}
    </svg>
  );
}

function Bars({ series, points, plot }: { series: ChartSeries; points: readonly ChartPoint[]; plot: Plot }) {
  const isDown = series.direction === 'down';
  return (
    <g className={FILLS[series.tone]}>
      {series.values.map((value, index) => {
        if (value === 0) return null;
        const end = plot.yOf(isDown ? -value : value);
        // Whatever happened is seen, however much more happened on other days.
        const height = Math.max(1.5, Math.abs(end - plot.yOf(0)));
        return (
          <rect
            key={points[index]?.key}
            x={plot.middleOf(index) - plot.barWidth / 2}
            y={isDown ? plot.yOf(0) : plot.yOf(0) - height}
            width={plot.barWidth}
            height={height}
            rx={Math.min(2, plot.barWidth / 3)}
          />
        );
      })}
    </g>
  );
}

/** The values of the point that is pointed at. */
function Tooltip({
  points,
  series,
  format,
  at,
  x,
  width,
}: Pick<BarChartProps, 'points' | 'series' | 'format'> & { at: number; x: number; width: number }) {
  const isRight = x > width / 2;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-1 z-10 rounded-md border border-line bg-raised px-2.5 py-1.5 text-xs whitespace-nowrap shadow-lift"
      style={isRight ? { right: width - x + 10 } : { left: x + 10 }}
    >
      <span className="block font-medium">{points[at]?.long}</span>
      {series.map((one) => (
        <span key={one.name} className="flex items-center gap-1.5 text-ink-muted">
          <Swatch series={one} />
          {one.name}
          <span className="ml-auto pl-3 font-medium text-ink tabular-nums">
            {format(one.values[at] ?? 0)}
          </span>
        </span>
      ))}
    </div>
  );
}

function Swatch({ series }: { series: ChartSeries }) {
  return (
    <span
      className={`inline-block w-2 shrink-0 ${DOTS[series.tone]} ${series.direction === 'down' ? 'h-1 rounded-sm' : 'h-2 rounded-sm'}`}
    />
  );
}

/** Which bars are which. */
export function ChartLegend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-ink-muted">
      {series.map((one) => (
        <li key={one.name} className="flex items-center gap-1.5">
          <Swatch series={one} />
          {one.name}
        </li>
      ))}
    </ul>
  );
}

function wordsOf(
  point: ChartPoint | undefined,
  series: readonly ChartSeries[],
  at: number,
  format: (value: number) => string,
): string {
  const values = series.map((one) => `${one.name} ${format(one.values[at] ?? 0)}`);
  return `${point?.long ?? ''}: ${values.join(', ')}`;
}

export interface ChartTableProps extends Pick<BarChartProps, 'label' | 'points' | 'series' | 'format'> {
  /** Head of the column of points. */
  pointHead: string;
}

/** The same numbers to read, newest first. */
export function ChartTable({ label, points, series, format, pointHead }: ChartTableProps) {
  return (
    <div
      role="region"
      aria-label={label}
      // It scrolls, so it has to be reachable by keyboard.
      tabIndex={0}
      className="overflow-auto rounded-md border border-line"
      style={{ maxHeight: HEIGHT }}
    >
      <table className="w-full text-left">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-sunken text-[13px] text-ink-muted">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {pointHead}
            </th>
            {series.map((one) => (
              <th key={one.name} scope="col" className="px-3 py-1.5 text-right font-medium">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {points
            .map((point, index) => (
              <tr key={point.key}>
                <th scope="row" className="px-3 py-1.5 font-normal">
                  {point.long}
                </th>
                {series.map((one) => (
                  <td key={one.name} className="px-3 py-1.5 text-right tabular-nums">
                    {format(one.values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}
