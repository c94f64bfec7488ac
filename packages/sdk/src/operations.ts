import type { Route, RouteCall, RouteResponse } from '#contract/route.ts';
import type { Operations } from '#contract/routes.ts';
import type { CallOptions, SaysoSite } from './public-types.ts';

/** The routes that an API key may call; see `scopesOf` of the contract. */
type KeyOperations = {
  [
    Name in keyof Operations as Operations[Name] extends { access: 'site' }
      ? Operations[Name] extends { needs: 'admin' | 'owner' } | { scopes: readonly [] }
        ? never
        : Name
      : never
  ]: Operations[Name];
};

type Flat<T> = { [Name in keyof T]: T[Name] };

/** A body that may be left out is one that may be undefined. */
type WithoutBody<Call> = Call extends { body: infer Body }
  ? undefined extends Body
    ? Omit<Call, 'body'> & { body?: Body }
    : Call
  : Call;

type CallParts<Call> = Omit<Call, 'params'> &
  (Call extends { params: infer Params } ? Omit<Params, 'organization_id' | 'site_id'> : unknown);

/** What is in the path beside the site, with `query`, `body` and `file` as the route has them. */
type CallOf<R extends Route> = Flat<CallParts<WithoutBody<RouteCall<R>>>>;

type Method<R extends Route> =
  object extends CallOf<R>
    ? (call?: CallOf<R>, options?: CallOptions) => Promise<RouteResponse<R>>
    : (call: CallOf<R>, options?: CallOptions) => Promise<RouteResponse<R>>;

/** Each call by its operation id. */
export type SaysoMethods = {
  [Name in keyof KeyOperations]: KeyOperations[Name] extends Route ? Method<KeyOperations[Name]> : never;
};

type Answer<Name extends keyof SaysoMethods> = Awaited<ReturnType<SaysoMethods[Name]>>;

/** The calls that answer a collection. */
export type CollectionName = {
  [Name in keyof SaysoMethods]: Answer<Name> extends { results: unknown[]; next: string | null }
    ? Name
    : never;
}[keyof SaysoMethods];

type ItemOf<Name extends CollectionName> = Answer<Name> extends { results: (infer Item)[] } ? Item : never;

export interface Sayso extends SaysoMethods {
  readonly site: SaysoSite;
  /** Everything in a collection, page by page as you go through it: `for await (const one of sayso.each(…))`. */
  each<Name extends CollectionName>(
    operation: Name,
    ...call: Parameters<SaysoMethods[Name]>
  ): AsyncGenerator<ItemOf<Name>, void, undefined>;
}
