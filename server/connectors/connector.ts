import type { TargetedActionType, ToolActionType, ToolTarget } from '#contract/actions.ts';
import type { TOOL_RESOURCE_KINDS } from '#contract/integrations.ts';

/*
 * What the product knows about an email tool. A connector is a folder beside this file: what the tool can do as data,
 * and how to call it. It reports what is wrong (`ConnectorError`); the queue decides when to retry.
 */

export type ResourceKind = (typeof TOOL_RESOURCE_KINDS)[number];

/** Something in the tool that an action can act on. The id is the connector's own; it may hold several of the tool's. */
export interface Resource {
  id: string;
  name: string;
  /** What people know it by, where the name also says what it is part of. */
  title?: string;
  /** The id of the list that it is part of. */
  within?: string;
  /** What it is for, as the tool shows it to people. */
  description?: string;
}

/** What an action type can do in the tool: forward (`on`) and, if the tool can, back. */
export type Capability =
  | {
      can: true;
      /** The words of the action's `operation`: forward, and reverse where the tool has one. */
      operations: readonly [string] | readonly [string, string];
      /** What an owner chooses from; null where the action has no target. */
      target: ResourceKind | null;
      /** What cannot be taken back in the tool, in a sentence for the owner. */
      irreversible?: string;
      /** It deletes contacts in the tool, in some cases or always. */
      deletes?: true;
      /** What else the owner should know before relying on it. */
      note?: string;
      /** The note is about the forward operation only. */
      isNoteOfForward?: true;
    }
  | { can: false; reason: string };

/** What an owner types in to connect the tool. */
export interface CredentialField {
  name: string;
  label: string;
  /** Where to find it in the tool. */
  help: string;
  /** Never shown again; else it is an address or a name. */
  secret: boolean;
  /** What it looks like; checked before the tool is asked. */
  pattern: RegExp;
  example: string;
  /** Labels of the values that it can have, the usual one first: that is taken where none is given. */
  choices?: Readonly<Record<string, string>>;
}

export type Credentials = Readonly<Record<string, string>>;

/** An account of a tool. */
export interface ToolAccount {
  /** Stays the same with other credentials of it; the name, where the tool tells no id. */
  id: string;
  /** As a person would know it. */
  name: string;
}

/** Calls that the tool allows in a time, for one account. */
export interface RateLimit {
  requests: number;
  perSeconds: number;
  /** It allows as many of each of its endpoints: which one this is. */
  endpointOf?: (call: { method: string; url: string }) => string;
}

/** One call to the tool. */
export interface ToolCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, starting with `/`; what comes from people is encoded by `path`. */
  path: string;
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form. */
  form?: Readonly<Record<string, string>>;
  /** Statuses beyond 2xx that are an answer and no failure. */
  expects?: readonly number[];
}

export interface ToolAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The parsed JSON; null where the body is empty. */
  body: unknown;
  /** As it came. */
  text: string;
}

/** Narrows down which writes count. */
export interface WhichWrites {
  /** Only those by calls with all of these in their URL or body, in any case. */
  parts?: readonly string[];
  /** Only those that the tool doesn't show yet, as far as it was read. */
  isUnconfirmed?: boolean;
}

/** A client for one account of a tool: authenticated, rate limited, and failing with a `ConnectorError`. */
export interface ToolApi {
  /** @throws ConnectorError */
  call(call: ToolCall): Promise<ToolAnswer>;
  /** What `connect` says, for tools that want it in their paths. */
  readonly account?: string | undefined;
  /** The same object for all clients of the account in this process: a key for what a connector caches. */
  readonly cacheKey: object;
  /** Has a delivery about the same person, in any process, written something since then? */
  wroteSince(time: Date, which?: WhichWrites): Promise<boolean>;
  /**
   * Reports where a person stood before a change that was applied to several people, or that says so only in its answer:
   * an undo takes nothing back that was so already. Without a report, whether anything was written says it.
   * @param isSo the tool had it as the change wants it
   */
  found(email: string, isSo: boolean): void;
  /** The tool's clock is ours. */
  now(): Date;
  /** For jobs in the tool that have to be waited for. */
  wait(milliseconds: number): Promise<void>;
}

/** Tools that store a person's consent get this from the product. */
export interface Consent {
  /** The person said so behind a link in an email to this address. */
  isConfirmed: boolean;
  /** Where and when they said so themselves; missing where somebody else did. */
  said?: { at: string; ip: string | null; language: string | null };
  /** Where and when they confirmed it. */
  confirmed?: { at: string; ip: string | null };
}

/** A desired change in the tool. Applying it twice or late has the same result. */
export type Change =
  | { type: 'global_unsubscribe'; email: string; on: boolean }
  | {
      type: TargetedActionType;
      email: string;
      target: Resource;
      /** In the list, with the tag, in the automation; for a suppression group: suppressed. */
      on: boolean;
      /** Of a change that somebody gets more by; missing where no choice says it. */
      consent?: Consent;
    }
  | { type: 'switch_email'; from: string; email: string };

/**
 * What a tool says about one person: the ids of what they are in, and in general. A key is missing where the tool cannot
 * be asked.
 */
export interface ToolState extends Readonly<Partial<Record<ToolTarget, readonly string[]>>> {
  /** The tool knows the address at all. */
  known: boolean;
  /** Gets nothing any more, as the tool says. */
  unsubscribed?: boolean;
  /** The ids of lists that the tool has asked the person to confirm, and that they are not in before they do. */
  awaited?: readonly string[];
}

/** Somebody as a list or a tag of a tool has them. */
export interface ToolPerson {
  email: string;
  /**
   * In it and mailed; out of it, on their own or by an administrator; or neither: not confirmed yet, bounced,
   * archived. Only the first is consent, only the second an opt-out.
   */
  state: 'subscribed' | 'unsubscribed' | 'unclear';
  /** Gets nothing at all from this account, as far as the tool says it here. */
  hasLeftAll: boolean;
  /** Since when it is so; null where the tool does not say. */
  since: Date | null;
}

export interface PeoplePage {
  people: ToolPerson[];
  /** Of the next page, also days later; null after the last one. */
  cursor: string | null;
}

/** How everybody in something is read, page by page. */
export type People =
  | {
      can: true;
      of: readonly ('lists' | 'tags')[];
      /** Those who left a list are read along. */
      exportsUnsubscribed: boolean;
      /** What else the owner should know before relying on it. */
      note?: string;
      /** @param cursor of the page before; null at first. Pages may overlap while people come and go. */
      read(api: ToolApi, kind: 'lists' | 'tags', id: string, cursor: string | null): Promise<PeoplePage>;
    }
  | { can: false; reason: string };

/** A request that a tool made to us, as it came. */
export interface InboundRequest {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  rawBody: Buffer;
}

/** What happened in the tool. */
export interface InboundEvent {
  /** The same for the same event, however often it is told. */
  id: string;
  /** When it happened there; null where the tool does not say. */
  at: Date | null;
  /** null where the tool names the person by its own id only. */
  email: string | null;
  kind:
    | 'unsubscribed'
    | 'complained'
    | 'bounced'
    /** To all mail: back from an opt-out, or for the first time. */
    | 'resubscribed'
    | 'list_unsubscribed'
    | 'list_subscribed'
    | 'group_suppressed'
    | 'group_unsuppressed'
    | 'email_changed';
  /** The resource's id, of events about a list or a group. */
  resource?: string;
  /** Of `email_changed`. */
  newEmail?: string;
}

/** How a record of a tool stands, where the tool doesn't tell what was changed of it. */
export interface Standing {
  /** The tool's own id of it. */
  record: string;
  email: string;
  /** Gets nothing any more. */
  hasLeft: boolean;
  /** Since when it is so, or the latest time since when it can be. */
  at: Date;
  /** It was so before the first poll, and is no news. */
  isEarlier?: true;
}

export interface PollResult {
  events: InboundEvent[];
  /** What became of them is an event where it is something else than before. */
  standings?: Standing[];
  cursor: string;
}

/** The webhook of one integration. */
export interface OwnWebhook {
  url: string;
  /** What the tool's calls are verified with; empty: nothing yet. */
  secret(): string;
  /** From now on it is this one. */
  keep(secret: string): Promise<void>;
}

/** A place in a tool that has webhooks of its own: the account, an audience or a list. */
export interface WebhookPlace {
  /** Those of others, too. `isRight`: it is on, tells of everything that `parse` reads, and we can verify it. */
  all(): Promise<readonly { id: string; url: string; isRight: boolean }[]>;
  create(): Promise<void>;
  repair(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** How a tool tells us what people did there. */
export type Inbound =
  | {
      kind: 'webhook';
      /** What the owner does in the tool, where it cannot be done for them. */
      setup: string;
      /** Whether it proves its calls with something that the owner enters here: always, for some webhooks, or never. */
      secret: 'needed' | 'optional' | 'none';
      /** The owner makes the secret up and enters it in the tool, too; else the tool shows it. */
      takesAnySecret?: true;
      /** What we write there is told back as though the person had done it, and no word of the event tells it apart. */
      echoesOwnWrites?: true;
      /** Where the tool keeps webhooks, for tools in which we set them up ourselves. @throws ConnectorError */
      places?(api: ToolApi, own: OwnWebhook): Promise<readonly WebhookPlace[]> | readonly WebhookPlace[];
      /** Did the tool send this? Tools that sign nothing are known only by the secret path and say `true`. */
      isGenuine(request: InboundRequest, secret: string, now: Date): boolean;
      /** @throws ConnectorError `refused` for a body that is none of the tool's */
      parse(request: InboundRequest): InboundEvent[];
    }
  | {
      kind: 'poll';
      /** @param cursor of the poll before; null at first: from now on */
      poll(api: ToolApi, cursor: string | null): Promise<PollResult>;
    };

/** Where calls go, and how they say who we are. */
export interface Connection {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  /** No secret; handed on to every function. */
  account?: string | undefined;
}

/** What is known right after an owner has logged in at the tool. */
export interface LoginResult {
  /** What the token address answered. */
  answer: unknown;
  /** What the owner gave along (`takes`). */
  given: Credentials;
  /** The body of a further answer of the tool. @throws ConnectorError */
  get: (url: string, authorization: string) => Promise<unknown>;
}

/**
 * How owners connect the tool by logging in there, where the product has an app with the tool. Every refresh token is
 * treated as good for one use, whether the tool says so or not.
 */
export interface OAuth {
  /** `CONNECTOR_<NAME>_URL` replaces their origins. */
  addresses(given: Credentials): { authorize: string; token: string };
  /** Names of credentials, none of them secret, that an owner may give along, where a login does not decide. */
  takes: readonly string[];
  /** Beside the app, the way back, the scopes and the state. */
  authorizeWith: Readonly<Record<string, string>>;
  /** Empty: the tool knows none. */
  scopes: readonly string[];
  scopeSeparator: ' ' | ',';
  /** A code is bound to who asked for it (RFC 7636, S256). */
  hasPkce: boolean;
  /** How everything reaches the token address; the app's secret is among it. */
  tokenCall: 'form' | 'json' | 'query';
  /** Beside what every exchange of a code has. */
  exchangeWith?: Readonly<Record<string, string>>;
  /** What is sent beside the refresh token; null: tokens do not end, and there is none. */
  refreshWith: readonly ('client' | 'redirect_uri')[] | null;
  /** Of a token whose answer does not tell its life; null: it does not end. */
  lifeSeconds: number | null;
  /**
   * What else has to be known of the account, named as the connector's own credentials where it has such; no secret.
   * @throws ConnectorError `refused` where the owner has to say which account is meant
   */
  learn?(login: LoginResult): Promise<Credentials> | Credentials;
  connect(accessToken: string, learned: Credentials): Connection;
}

/** What the tool is recognised by. */
export interface Logo {
  /** As `#RRGGBB`. */
  colour: string;
  /** Of an SVG with a viewBox of 24 by 24. */
  path: string;
}

export interface Connector {
  /** Of the folder, the API and the rows; never changes. */
  id: string;
  /** As the tool writes itself, and the specification does. */
  name: string;
  /** Missing: its first letter stands for it. */
  logo?: Logo;
  /** `CONNECTOR_<NAME>_URL` replaces the base URL. */
  envName: string;
  credentials: readonly CredentialField[];
  connect(credentials: Credentials): Connection;
  oauth?: OAuth;
  /**
   * For tools that trade credentials for a token first: its headers, and for how long.
   * @param api calls without them
   */
  logIn?(
    api: ToolApi,
    credentials: Credentials,
  ): Promise<{ headers: Record<string, string>; seconds: number }>;
  /**
   * What all users of one account of the tool share, limits first of all. Holds no secret in clear.
   * @returns null: the credentials themselves tell accounts apart
   */
  accountOf?(credentials: Credentials): string | null;
  limits: readonly RateLimit[];
  /** Calls at the same time, for one account. */
  concurrency: number;
  actions: Readonly<Record<ToolActionType, Capability>>;
  /** The tool's own sense of a failed answer, where it is not the usual one; null: the usual one. */
  failureOf?(answer: ToolAnswer, now: Date): ConnectorError | null;
  /**
   * @param credentials for tools whose answers do not tell which account it is
   * @throws ConnectorError
   */
  verify(api: ToolApi, credentials: Credentials): Promise<ToolAccount>;
  /** All of a kind, over all pages. Empty for kinds that the tool does not have. */
  resources(api: ToolApi, kind: ResourceKind): Promise<Resource[]>;
  /** Is this one there? For tools whose `resources` take many calls. */
  has?(api: ToolApi, kind: ResourceKind, id: string): Promise<boolean>;
  /** Its tags are words: one that nobody has isn't listed, and comes to be when somebody gets it. */
  makesTags?: true;
  state(api: ToolApi, email: string): Promise<ToolState>;
  /** Brings the tool to where the change says. What cannot be done is not asked for (`actions`). */
  apply(api: ToolApi, change: Change): Promise<void>;
  /** `apply` writes this change also where it is so already, and doesn't report which. Missing: it never does. */
  writesBlindly?(change: Change): boolean;
  /** How many people `applyMany` takes at once who need the same as this; missing or 1: each needs calls of their own. */
  batchSize?(change: Change): number;
  /**
   * Brings many people to where their changes say, with as few calls as the tool allows, and to the same end as `apply`
   * would one by one. The changes have one type, target and direction, and there are at most `batchSize` of them.
   * @returns for each change, in order: null where the tool took it, or why this person's it did not
   * @throws ConnectorError where it failed for all of them: who was taken before is not known, and to repeat it is safe
   */
  applyMany?(api: ToolApi, changes: readonly Change[]): Promise<readonly (ConnectorError | null)[]>;
  /**
   * `state` of any number of people, with as few calls as the tool allows.
   * @returns in their order
   */
  stateMany?(api: ToolApi, emails: readonly string[]): Promise<readonly ToolState[]>;
  inbound: Inbound;
  /** The kinds whose unsubscribes it reports one by one, and not only as an unsubscribe from all; not parts of other lists. */
  reportsLeaving?: readonly ToolTarget[];
  people: People;
  /**
   * Fills a custom field of somebody; changes nothing else about them, and makes nobody.
   * @returns whether the value is there now: false for whom the tool does not know
   */
  setField(api: ToolApi, email: string, field: Resource, value: string): Promise<boolean>;
  /** What stands for the address in a mail of the tool, and for the value of a custom field of `resources`. */
  mergeTags: { email: string; field(field: Resource): string };
}

/**
 * bad_credentials: a person has to reconnect. refused: the tool will never take it, unless it says when. not_found: what
 * it is about is not there (any more). rate_limited and unavailable: later.
 */
export type ConnectorFailure = 'bad_credentials' | 'refused' | 'not_found' | 'rate_limited' | 'unavailable';

export class ConnectorError extends Error {
  readonly kind: ConnectorFailure;
  /** When it may go well, where the tool says it. */
  readonly retryAfterSeconds: number | null;

  /** @param message a sentence for the owner, without secrets */
  constructor(kind: ConnectorFailure, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Retrying is pointless; an owner may replay it. */
  get isFinal(): boolean {
    return this.isAboutChange && this.retryAfterSeconds === null;
  }

  /** It concerns this change of this person, and says nothing of the tool. */
  get isAboutChange(): boolean {
    return this.kind === 'refused' || this.kind === 'not_found';
  }
}

/** Tagged template for paths: encodes what is put in. */
export function path(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings.reduce((all, text, index) => {
    const value = values[index];
    return all + text + (value === undefined ? '' : encodeURIComponent(String(value)));
  }, '');
}
