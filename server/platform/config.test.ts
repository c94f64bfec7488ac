import { describe, expect, it } from 'vitest';
import { appHost, ConfigError, readConfig, siteUrl } from './config.ts';

const KEY = 'k'.repeat(32);

describe('the settings', () => {
  it('have defaults for a fresh clone', () => {
    expect(readConfig({})).toMatchObject({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      appUrl: 'http://localhost:3000',
      siteDomain: 'localhost',
      databaseUrl: '',
      secretKeys: [],
      role: 'all',
      webConcurrency: 1,
      smtpUrl: '',
      google: null,
      chat: null,
      docsUrl: 'http://localhost:3000/docs',
      featureRequestUrl: 'http://localhost:3000/docs#feature-requests',
      allowPrivateTargets: false,
      dnsServers: [],
      trustProxy: null,
    });
  });

  it('derive from each other: the port gives the address, the address gives the hosts', () => {
    const config = readConfig({ PORT: '4000', SITE_DOMAIN: 'Pages.Example' });
    expect(appHost(config)).toBe('localhost:4000');
    expect(siteUrl(config, 'acme.pages.example')).toBe('http://acme.pages.example:4000');
    const live = readConfig({ APP_URL: 'https://app.example.com/', SITE_DOMAIN: 'Pages.Example' });
    expect(live.appUrl).toBe('https://app.example.com');
    expect(live.siteDomain).toBe('pages.example');
    expect(siteUrl(live, 'acme.pages.example')).toBe('https://acme.pages.example');
  });

  it('accept several secret keys, the newest first', () => {
    expect(readConfig({ SECRET_KEY: `${KEY}1, ${KEY}2` }).secretKeys).toEqual([`${KEY}1`, `${KEY}2`]);
  });

  it.each([
    ['1', { hops: 1 }],
    ['3', { hops: 3 }],
    ['0', null],
    ['false', null],
    ['', null],
    ['10.0.0.0/8', { addresses: ['10.0.0.0/8'] }],
    [' 10.0.0.5, fd00::/8 ', { addresses: ['10.0.0.5', 'fd00::/8'] }],
    ['loopback', { addresses: ['127.0.0.0/8', '::1'] }],
  ])('accept TRUST_PROXY=%s', (value, trustProxy) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(trustProxy);
  });

  it.each(['true', 'TRUE', 'yes', 'all', '*', '0.0.0.0/0', '::/0', '10.0.0.1, 0.0.0.0/0'])(
    'stop the start where TRUST_PROXY=%s would let clients choose their address',
    (value) => {
      expect(() => readConfig({ TRUST_PROXY: value })).toThrow(
        /^TRUST_PROXY: .* every client (could )?fake its .*use 1 for one proxy/,
      );
    },
  );

  it('accept another address for a tool, by its name', () => {
    const connectorUrls = { BREVO: 'http://127.0.0.1:4000', CAMPAIGN_MONITOR: 'https://cm.example/v3' };
    const read = readConfig({
      CONNECTOR_BREVO_URL: connectorUrls.BREVO,
      CONNECTOR_CAMPAIGN_MONITOR_URL: connectorUrls.CAMPAIGN_MONITOR,
      CONNECTOR_DRIP_URL: '',
    });
    expect(read.connectorUrls).toEqual(connectorUrls);
  });

  it('accept several DNS servers, with ports', () => {
    const servers = ['10.0.0.1', '10.0.0.2:5353', '2001:db8::1', '[2001:db8::1]:5353'];
    expect(readConfig({ DNS_SERVERS: ` ${servers.join(' , ')},` }).dnsServers).toEqual(servers);
  });

  it.each([
    ['PORT', 'x'],
    ['DNS_SERVERS', 'dns.example'],
    ['CONNECTOR_BREVO_URL', 'api.brevo.com'],
    ['CONNECTOR_BREVO_URL', 'ftp://api.brevo.com'],
    ['DNS_SERVERS', '10.0.0.1,10.0.0'],
    ['DNS_SERVERS', '10.0.0.1:70000'],
    ['DNS_SERVERS', '[::1]:x'],
    ['PORT', '70000'],
    ['APP_URL', 'localhost'],
    ['APP_URL', 'ftp://localhost'],
    ['SITE_DOMAIN', 'a b'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['ROLE', 'boss'],
    ['WEB_CONCURRENCY', '0'],
    ['SMTP_URL', 'mail.example.com'],
    ['ALLOW_PRIVATE_TARGETS', 'maybe'],
    ['TRUST_PROXY', 'proxy.example'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/x'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '99'],
    ['LOG_LEVEL', 'loud'],
    ['SECRET_KEY', 'short'],
    ['DOCS_URL', 'javascript:alert(1)'],
  ])('stop the start with a sentence that names %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(name));
  });

  it('contain the apps at email tools, each with both its parts', () => {
    const env = {
      CONNECTOR_CAMPAIGN_MONITOR_CLIENT_ID: ' 42 ',
      CONNECTOR_CAMPAIGN_MONITOR_CLIENT_SECRET: 'secret',
      CONNECTOR_KIT_CLIENT_ID: '',
      CONNECTOR_KIT_CLIENT_SECRET: '',
    };
    const { connectorClients, connectorUrls } = readConfig(env);
    expect(connectorClients).toEqual({ CAMPAIGN_MONITOR: { clientId: '42', clientSecret: 'secret' } });
    expect(connectorUrls).toEqual({});
  });

  it('stop the start when one requires another', () => {
    const id = { CONNECTOR_KIT_CLIENT_ID: 'canary' };
    expect(() => readConfig(id)).toThrow(
      'CONNECTOR_KIT_CLIENT_SECRET: set it together with CONNECTOR_KIT_CLIENT_ID.',
    );
    const secret = { CONNECTOR_KIT_CLIENT_SECRET: 'canary' };
    expect(() => readConfig(secret)).toThrow(/^CONNECTOR_KIT_CLIENT_ID: .*SECRET\.$/);
    expect(() => readConfig({ GOOGLE_CLIENT_ID: 'x' })).toThrow(/GOOGLE_CLIENT_SECRET/);
    const live = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/sayso' };
    expect(() => readConfig(live)).toThrow(/SECRET_KEY/);
    expect(readConfig({ ...live, SECRET_KEY: KEY }).production).toBe(true);
  });
});
