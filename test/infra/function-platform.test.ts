import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../handlers/routes.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { ROOT } from '../conformance/sources.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';

const TEMPLATE = `${ROOT}infra/function-platform/template.yaml`;
const hasCfnLint = await isInstalled('cfn-lint', ['--version']);

interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly Events?: Readonly<
      Record<string, { readonly Properties: { readonly Method?: string; readonly Path?: string } }>
    >;
  };
}

const text = readFileSync(TEMPLATE, 'utf8');
// The short forms of intrinsic functions, such as `!Ref`, are read as plain text.
const template: {
  readonly Globals: {
    readonly Function: {
      readonly Handler: string;
      readonly Timeout: number;
      readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
    };
  };
  readonly Resources: Readonly<Record<string, Resource>>;
} = parse(text, { logLevel: 'silent' });

const FUNCTIONS = Object.entries(template.Resources).flatMap(([name, { Type, Properties }]) =>
  Type === 'AWS::Serverless::Function'
    ? [{ name, events: Object.values(Properties?.Events ?? {}).map((it) => it.Properties) }]
    : [],
);

describe('the function platform', () => {
  it.runIf(hasCfnLint)('has a template that cfn-lint accepts', async () => {
    expect(await runTool('cfn-lint', [TEMPLATE])).toEqual({ code: 0, output: '' });
  });

  it('serves each route either by a function or, for a reason that the template names, by a container', () => {
    const keys = FUNCTIONS.flatMap(({ events }) => events).map(({ Method, Path }) =>
      Method === undefined ? '$default' : `${Method} ${Path?.replace('+}', '}')}`,
    );
    const inContainers = [...text.matchAll(/^# {3}(\w+ \S+): \S.*\.$/gm)].map(([, key]) => key);

    expect([...keys.filter((key) => !key.startsWith('HEAD ')), ...inContainers].sort()).toEqual(
      ['$default', ...routes.map(({ method, path }) => `${method} ${path}`)].sort(),
    );
    const got = keys.filter((key) => key.startsWith('GET '));
    expect(keys.filter((key) => key.startsWith('HEAD ')).sort()).toEqual(
      got.map((key) => key.replace('GET', 'HEAD')).sort(),
    );
  });

  it('has a file with the handler that the template names', async () => {
    const { Handler } = template.Globals.Function;
    const [file = '', name = ''] = Handler.split(/\.(?=\w+$)/);
    const path = createRequire(import.meta.url).resolve(`${ROOT}${file}.js`);

    expect(await import(path)).toHaveProperty(name, expect.any(Function));
  });

  it('sets valid settings in addition to those of the containers', async () => {
    const { Variables } = template.Globals.Function.Environment;
    const env = Object.entries(Variables).filter(([name]) => name.startsWith('IMAGE_BRIDGE__'));

    const loaded = await loadConfig({
      env: Object.fromEntries(env),
      cwd: ROOT,
      set: ['state.driver=postgres', 'artifacts.driver=s3'],
    });

    expect(loaded).toMatchObject({ ok: true, warnings: [] });
  });

  it('ends a wait for a job before the limit of API Gateway, 30 seconds', () => {
    expect(template.Globals.Function.Timeout).toBeLessThan(30);
  });
});
