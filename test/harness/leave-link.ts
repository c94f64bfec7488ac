import { type Customer, mintLinks } from '#contract/customers.ts';
import type { TestProduct } from './product.ts';
import { buildCustomer, type World } from './world.ts';

const TODAYS_BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15';

interface Press {
  /** Of the visitor, for a product that trusts one proxy; absent: from this computer. */
  ip?: string;
  userAgent?: string;
  /** After the link. */
  query?: string;
  body?: string;
}

/** A new customer with an unsubscribe link; `press` unsubscribes. */
export async function buildLeaveLink(
  product: TestProduct,
  world: World,
): Promise<{ customer: Customer; press: (how?: Press) => Promise<Customer> }> {
  const customer = await buildCustomer(product, world);
  const params = { ...world.params, id: customer.id };
  const links = await product.call(mintLinks, { params, body: {} }, world.owner);
  const { pathname, host } = new URL(links.one_click_url);
  const press = async ({ ip, userAgent = TODAYS_BROWSER, query = '', body = 'intent=leave' }: Press = {}) => {
    const answer = await product.http.inject({
      method: 'POST',
      url: `${pathname}${query}`,
      headers: {
        host,
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
        ...(ip !== undefined && { 'x-forwarded-for': ip }),
      },
      payload: body,
    });
    if (answer.statusCode !== 200) throw new Error(`The link answered ${answer.statusCode}`);
    return customer;
  };
  return { customer, press };
}

/** Unsubscribe links of several new customers, pressed together from one network. */
export async function pressTogether(
  product: TestProduct,
  world: World,
  ips: readonly string[],
): Promise<Customer[]> {
  const links = [];
  for (const ip of ips) links.push({ ip, ...(await buildLeaveLink(product, world)) });
  return Promise.all(links.map(({ ip, press }) => press({ ip })));
}
