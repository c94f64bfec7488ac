import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Says why a test failed at once, and in the end how long each step took and which tests passed only when tried again. */
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
    const name = `${test.module.relativeModuleId}: ${test.fullName}`;
    if (test.diagnostic()?.flaky === true) this.flaky.push(`flaky: ${name}`);
    const { state, errors = [] } = test.result();
    // Vitest's own report comes when all have run, and leaves out what a second try made up for.
    if (errors.length > 0)
      process.stdout.write(`${state} with errors: ${name}\n${errors.map(whatAndWhere).join('\n')}\n`);
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

type ErrorOfTest = NonNullable<ReturnType<TestCase['result']>['errors']>[number];

const whatAndWhere = ({ message, diff = '', stacks = [] }: ErrorOfTest): string =>
  [message, diff, ...stacks.slice(0, 3).map(({ file, line }) => `  ${file}:${line}`)].join('\n');
