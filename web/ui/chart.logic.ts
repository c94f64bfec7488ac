/** Round numbers for an axis that holds 0 and everything up to `highest`, and down to `-lowest`; all are whole. */
export function axisTicks(highest: number, lowest = 0, most = 5): number[] {
  const reach = Math.max(1, highest + lowest);
  const step = niceStep(reach / (most - 1));
  const from = -Math.ceil(lowest / step);
  const to = Math.max(1, Math.ceil(highest / step));
  // `+ 0`: there is no minus zero on an axis.
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step + 0);
}

function niceStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const factor = [1, 2, 5, 10].find((one) => one * magnitude >= rough) ?? 10;
  return Math.max(1, factor * magnitude);
}

/** Which of so many points have room for a label, always with the last one. */
export function labelledPoints(count: number, width: number, labelWidth: number): number[] {
  const room = Math.max(1, Math.floor(width / labelWidth));
  const every = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}
