import { describe, expect, it } from 'vitest';
import { ApiError, callRoute } from './client.ts';
import { getList } from './lists.ts';

const CALL = { params: { organization_id: 'organization', site_id: 'site', id: 'list' } };

/** @returns what a call gives when the server answers so */
const answered = (response: Response) => callRoute(getList, CALL, { send: async () => response });

function brokenOff(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError('terminated'));
    },
  });
}

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('The call did not end in an ApiError', { cause: error });
  return error;
}

describe('a call with an unreadable response', () => {
  it('counts as unanswered when the response breaks off', async () => {
    expect((await errorOf(answered(new Response(brokenOff())))).status).toBe(0);
  });

  it('counts as unanswered when a proxy returns a page instead', async () => {
    expect((await errorOf(answered(new Response('<p>Welcome</p>')))).status).toBe(0);
  });

  it('keeps the status of an error whose body is not JSON', async () => {
    expect((await errorOf(answered(new Response('<p>Bad gateway</p>', { status: 502 })))).status).toBe(502);
  });
});
