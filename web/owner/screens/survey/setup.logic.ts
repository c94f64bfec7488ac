/** The calls of the survey's last step. */
export interface SetupCalls {
  submitSurvey: () => Promise<unknown>;
  createOrganization: () => Promise<{ id: string }>;
  assignOrganization: (organizationId: string) => Promise<unknown>;
  createSite: (organizationId: string) => Promise<unknown>;
}

export type SetupPhase = 'submitting' | 'creating';

export interface SetupProgress {
  onPhase: (phase: SetupPhase) => void;
  /** Called as soon as it exists, so that another try goes on from there. */
  onOrganization: (organizationId: string) => void;
}

/** A failed set-up, with the part that has to change or be tried again. */
export class SetupError extends Error {
  readonly part: 'organization' | 'site';
  override readonly cause: unknown;

  constructor(part: 'organization' | 'site', cause: unknown) {
    super(`The ${part} could not be created.`);
    this.part = part;
    this.cause = cause;
  }
}

/**
 * Spec section 4: survey, organization, its owner, first site, in this order.
 * Goes on from `organizationId` when an earlier try made it.
 * @throws SetupError
 */
export async function setUp(
  calls: SetupCalls,
  organizationId: string | null,
  progress: SetupProgress,
): Promise<void> {
  progress.onPhase('submitting');
  // Spec section 8: survey submission errors are swallowed silently.
  if (organizationId === null) await calls.submitSurvey().catch(() => null);
  progress.onPhase('creating');
  const made = await partOf('organization', async () => {
    const id = organizationId ?? (await calls.createOrganization()).id;
    progress.onOrganization(id);
    await calls.assignOrganization(id);
    return id;
  });
  await partOf('site', () => calls.createSite(made));
}

async function partOf<T>(part: SetupError['part'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SetupError(part, cause);
  }
}
