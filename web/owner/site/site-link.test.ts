import { expect, it } from 'vitest';
import { linkToSite } from './site-link.ts';

const at = (path: string) => `https://app.example${path}`;

it('a link contains the site of a view beside the rest of its address', () => {
  expect(linkToSite('shop', at('/deliveries?status=failed&test=true'))).toBe(
    at('/deliveries?status=failed&test=true&site=shop'),
  );
  expect(linkToSite('shop', at('/lists#top'))).toBe(at('/lists?site=shop#top'));
});

it('a link names one site only, the one that is shown', () => {
  expect(linkToSite('shop', at('/lists?site=blog'))).toBe(at('/lists?site=shop'));
});
