import autocannon from 'autocannon';

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  failed: number;
  requests: number;
}

export type NextRequest = () => Partial<autocannon.Request>;

/** @param extent for how long, or how many requests */
export async function load(
  url: string,
  next: NextRequest,
  connections: number,
  extent: { seconds: number } | { requests: number },
): Promise<Measured> {
  const result = await autocannon({
    url,
    connections,
    ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.requests }),
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
    requests: result.requests.total,
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Gives one after the other, and begins again after the last. */
export function inTurns<T>(items: readonly T[]): () => T {
  let index = 0;
  return () => {
    const item = items[index % items.length] as T;
    index += 1;
    return item;
  };
}
