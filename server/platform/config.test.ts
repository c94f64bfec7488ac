import { describe, expect, it } from 'vitest';
import { appHost, ConfigError, readConfig, siteUrl } from './config.ts';
import { keyIdOf } from './key-ids.ts';

const KEY = 'k'.repeat(32);

/** Keys whose ids of 16 bits are the same. */
const TWO_WITH_ONE_ID = twoWithOneId();

function twoWithOneId(): string[] {
  const first = `${KEY}0`;
  for (let count = 1; ; count += 1) {
    if (keyIdOf(`${KEY}${count}`).equals(keyIdOf(first))) return [first, `${KEY}${count}`];
  }
}

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
    ['ABUSE_EMAIL', 'abuse'],
    ['ABUSE_EMAIL', 'Abuse <abuse@example.com>'],
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
    ['SECRET_KEY', `${KEY},${KEY}`],
    ['SECRET_KEY', TWO_WITH_ONE_ID.join(',')],
    ['DOCS_URL', 'javascript:alert(1)'],
    ['APP_URL', 'https://example.com/sayso'],
    ['APP_URL', 'https://example.com?sayso'],
    ['APP_URL', 'https://example.com/#sayso'],
    ['SITE_DOMAIN', '203.0.113.5'],
    ['SITE_DOMAIN', '.pages.example.com'],
    ['SITE_DOMAIN', '*.pages.example.com'],
    ['SITE_DOMAIN', 'pages.example.com:443'],
    ['MAIL_FROM', 'Acme'],
    ['MAIL_FROM', 'Acme <acme>'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['SMTP_URL', 'smtp://mail.example.com:465'],
    ['SMTP_URL', 'smtps://mail.example.com:587'],
    ['SMTP_URL', 'smtps://mail.example.com:25'],
  ])('stop the start with a sentence that names %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(name));
  });

  const secret = 'hunter2hunter2';

  it.each([
    ['SMTP_URL', `smtp://user:${secret}#ss/wo@rd@host:587`],
    ['SMTP_URL', `smtp://user:12#${secret}@host:587`],
    ['SMTP_URL', `smtp://user:12/${secret}@host:587`],
    ['SMTP_URL', `smtp://user:12?${secret}@host:587`],
    ['DATABASE_URL', `postgres://sayso:${secret}#ss/w@rd@host:5432/sayso`],
    ['DATABASE_URL', `postgres://sayso:12#${secret}@host:5432/sayso`],
    ['DATABASE_URL', `postgres://sayso:12/${secret}@host:5432/sayso`],
    ['DATABASE_URL', `postgres://sayso:12?${secret}@host:5432/sayso`],
    ['DATABASE_URL', `postgres://sayso:${secret}%ff@host:5432/sayso`],
  ])('stop the start where a password in %s is not percent-encoded, without repeating it', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: [^\\n]*ercent-encode`));
    expect(() => readConfig({ [name]: value })).not.toThrow(secret);
  });

  it.each([
    ['APP_URL', `https://user:${secret}@app.example.com`],
    ['CONNECTOR_BREVO_URL', `ftp://user:${secret}@api.example.com`],
    ['SMTP_URL', `smtp://user:${secret}@mail.example.com:465`],
    ['DATABASE_URL', `postgres://sayso:${secret}@host/sayso?sslrootcert=/nowhere/ca.pem`],
    ['SECRET_KEY', secret],
  ])('never repeat a secret in what is wrong with %s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: `));
    expect(() => readConfig({ [name]: value })).not.toThrow(secret);
  });

  it.each([
    'postgres://db/sayso',
    'postgresql://sayso:p%23ss%2Fw%40rd@db.example.com:5432/sayso?sslmode=disable',
    'postgres://sayso:p@ss@db.example.com/sayso',
    'postgres:///sayso?host=/var/run/postgresql&user=sayso@azure',
  ])('accept DATABASE_URL=%s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it.each([
    ['https://app.example.com', undefined],
    ['https://app.example.com', 'localhost'],
    ['http://203.0.113.5:4601', undefined],
    ['http://192.168.1.5:3000', undefined],
  ])('stop the start where pages beside %s would be below %s', (url, domain) => {
    const env = { APP_URL: url, ...(domain === undefined ? {} : { SITE_DOMAIN: domain }) };
    expect(() => readConfig(env)).toThrow(/^SITE_DOMAIN: .*localhost can't be opened from other machines/);
  });

  it.each(['http://localhost:4000', 'http://app.localhost', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'need no SITE_DOMAIN beside %s',
    (url) => {
      expect(readConfig({ APP_URL: url })).toMatchObject({ appUrl: url, siteDomain: 'localhost' });
    },
  );

  it('have a sender that mail servers elsewhere take, wherever emails leave this machine', () => {
    const live = { APP_URL: 'https://app.example.com', SITE_DOMAIN: 'pages.example.com' };
    const sending = { ...live, SMTP_URL: 'smtps://mail.example.com' };
    expect(() => readConfig(sending)).toThrow(/^MAIL_FROM: set it together with SMTP_URL/);
    expect(readConfig(live).mailFrom).toContain('@localhost');
    for (const mailFrom of [
      'no-reply@example.com',
      'Acme, Inc. <no-reply@example.com>',
      'Acme <a@localhost>',
    ]) {
      expect(readConfig({ ...sending, MAIL_FROM: mailFrom }).mailFrom).toBe(mailFrom);
    }
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
    expect(() => readConfig({ GOOGLE_CLIENT_SECRET: 'x' })).toThrow(/^GOOGLE_CLIENT_ID/);
    expect(() => readConfig({ PORT: '4000', HEALTH_PORT: '4000' })).toThrow(/^HEALTH_PORT/);
    const live = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/sayso' };
    expect(() => readConfig(live)).toThrow(/SECRET_KEY/);
    expect(readConfig({ ...live, SECRET_KEY: KEY }).production).toBe(true);
  });
});
