import type { Role } from '#contract/roles.ts';
import type { Access } from '#contract/route.ts';
import type { Implement } from '#server/platform/http/implement.ts';
import type { CustomerSession } from './customer-session-token.ts';

export interface UserContext {
  /** `sessionId`: the one that this call belongs to. */
  user: { id: string; organizationId: string | null; sessionId: string };
}

/** Who calls: a member, or an API key in the name of who made it, with the role that its scopes come to. */
export interface Actor {
  userId: string;
  role: Role;
  /** Of the API key that it is. */
  keyId?: string;
}

export interface OrganizationContext {
  organization: { id: string };
  actor: Actor;
}

export interface SiteContext {
  site: { id: string; organizationId: string };
  actor: Actor;
}

export interface VisitorContext {
  site: { id: string; host: string };
}

/** What a sealed `{customerId}` proves (design section 5). */
export interface CustomerContext extends VisitorContext {
  customer: CustomerSession;
}

/** What the guard of each access hands to a route's handler. */
export interface Contexts extends Record<Access, object> {
  anyone: object;
  user: UserContext;
  organization: OrganizationContext;
  site: SiteContext;
  visitor: VisitorContext;
  customer: CustomerContext;
}

/** Registers a route of the contract. */
export type Api = Implement<Contexts>;
