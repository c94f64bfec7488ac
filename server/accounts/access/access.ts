import type { Role } from '#contract/roles.ts';
import type { Access } from '#contract/route.ts';
import type { Implement } from '#server/platform/http/implement.ts';
import type { CustomerSession } from './customer-session-token.ts';

export interface UserContext {
  /** `sessionId`: the session of this call. */
  user: { id: string; organizationId: string | null; sessionId: string };
}

/** The caller: a member, or an API key acting for its creator, with the role that its scopes amount to. */
export interface Actor {
  userId: string;
  role: Role;
  /** Set if the caller is an API key. */
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

/** What each kind of access passes to a route's handler. */
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
