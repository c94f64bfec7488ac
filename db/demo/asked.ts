import { ConfigError } from '#server/platform/config.ts';
import { MOST_CUSTOMERS } from './millions.ts';
import { MOST_SITES } from './many-sites.ts';

/** What is made beside the demo world. */
export interface Asked {
  /** A hundred thousand customers with a past like those of the demo world. */
  crowd: boolean;
  /** So many customers of one site. */
  customers: number;
  /** So many sites. */
  sites: number;
}

/**
 * Reads `crowd`, `crowd=N` and `sites=N`.
 * @throws ConfigError when a number cannot be used
 */
export function readAsked(args: readonly string[]): Asked {
  return {
    crowd: args.includes('crowd'),
    customers: numberOf(args, 'crowd', { most: MOST_CUSTOMERS, what: 'customers' }),
    sites: numberOf(args, 'sites', { most: MOST_SITES, what: 'sites' }),
  };
}

function numberOf(
  args: readonly string[],
  name: string,
  { most, what }: { most: number; what: string },
): number {
  const text = args.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  if (text === undefined) return 0;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new ConfigError(
    `${name}=${text}: this is how many ${what} there are to be. Use a whole number from 1 to ${most.toLocaleString('en')}, written without separators, for example ${name}=${most}.`,
  );
}
