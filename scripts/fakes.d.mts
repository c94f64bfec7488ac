export interface RunningFakes {
  url: string;
  env: Record<string, string>;
  stop(): Promise<void>;
}
export function startFakes(): Promise<RunningFakes>;
