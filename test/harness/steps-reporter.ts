import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Says how long each step took, and which tests passed only when they were tried again. */
export default class StepsReporter implements Reporter {
  private readonly began = new Map<string, number>();
  private readonly ended = new Map<string, number>();
  private readonly flaky: string[] = [];

  onTestModuleStart({ project }: TestModule): void {
    if (!this.began.has(project.name)) this.began.set(project.name, performance.now());
  }

  onTestModuleEnd({ project }: TestModule): void {
    this.ended.set(project.name, performance.now());
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true)
      this.flaky.push(`flaky: ${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    const times = [...this.began].map(([name, began]) => {
      const seconds = ((this.ended.get(name) ?? began) - began) / 1000;
      return `${name} ${seconds.toFixed(0)} s`;
    });
    const lines = [...this.flaky, `steps: ${times.join(', ')}; flaky: ${this.flaky.length}`];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}
