import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Rows of a case, the text of a file, the field that must be reported, and its line. */
const IN_A_FILE: readonly (readonly [string, string, string, number])[] = [
  ['an unknown key at the top', 'speed = 1', 'speed', 1],
  ['an unknown table at the top', '\n[sever]\nbind = "a"', 'sever', 2],
  ['an unknown key in a section', '[server]\n\nbnid = "a"', 'server.bnid', 3],
  ['an unknown key two levels down', '[server.jobs]\nmax = 1', 'server.jobs.max', 2],
  ['an unknown dotted key', 'inputs.remote.hosts = []', 'inputs.remote.hosts', 1],
  ['an unknown key in an inline table', 'images = {\n  edge = 1 }', 'images.edge', 2],
  [
    'an unregistered provider',
    '[runtime.providers.agent_responses]',
    'runtime.providers.agent_responses',
    1,
  ],
  [
    'an unregistered breaker',
    '[runtime.circuit_breakers.dalle]',
    'runtime.circuit_breakers.dalle',
    1,
  ],
  ['a registered name as a section', '[providers.agent-responses]', 'providers.agent-responses', 1],
  ['the key __proto__ at the top', '[__proto__]\nbind = 1', '__proto__', 1],
  ['the key __proto__ in a section', '[server]\n__proto__ = 1', 'server.__proto__', 2],
  ['the key constructor', '[server.constructor]', 'server.constructor', 1],
  ['a key with blanks', '[server]\n"a b" = 1', 'server."a b"', 2],
  ['a later version', 'version = 2', 'version', 1],
  ['a version that is text', 'version = "1"', 'version', 1],
  ['text for a number', '[server]\n\nmax_body_bytes = "1"', 'server.max_body_bytes', 3],
  ['a float for a number', '[images]\nmax_edge = 1024.0', 'images.max_edge', 2],
  ['a date for a number', '[images]\nmax_edge = 1979-05-27', 'images.max_edge', 2],
  ['not a number', '[images]\nmax_edge = nan', 'images.max_edge', 2],
  ['a number for text', '[server]\nbind = 8787', 'server.bind', 2],
  ['a list for text', '[server]\nbind = ["127.0.0.1:8787"]', 'server.bind', 2],
  ['text for a flag', '[server]\nmetrics.enabled = "yes"', 'server.metrics.enabled', 2],
  ['a number for a flag', '[server.metrics]\nenabled = 1', 'server.metrics.enabled', 2],
  ['a value for a section', 'server = true', 'server', 1],
  ['a list of tables for a section', '\n[[server]]\nbind = "127.0.0.1:1"', 'server', 2],
  ['a table for a number', '[server.jobs.max_running]\na = 1', 'server.jobs.max_running', 1],
  ['text for a list', '[server]\nallowed_hosts = "a"', 'server.allowed_hosts', 2],
  [
    'a wrong item in a list',
    '[server]\nallowed_hosts = [\n"a",\n 1]',
    'server.allowed_hosts[1]',
    4,
  ],
  [
    'an empty list of models',
    'providers.agent_responses.models = []',
    'providers.agent_responses.models',
    1,
  ],
  [
    'a wrong entry in a map',
    '[server.compat.model_aliases]\na = "b"\nc = 1',
    'server.compat.model_aliases.c',
    3,
  ],
  [
    'an empty key in a map',
    '[server.compat.model_aliases]\n"" = "b"',
    'server.compat.model_aliases.""',
    2,
  ],
  ['a number below its bound', '[server.jobs]\nmax_running = 0', 'server.jobs.max_running', 2],
  ['a negative number', '[server.jobs]\nmax_pending = -1', 'server.jobs.max_pending', 2],
  [
    'a number above its bound',
    '[providers.agent_responses]\nmax_transient_attempts = 3',
    'providers.agent_responses.max_transient_attempts',
    2,
  ],
  [
    'a number above 2^53 - 1',
    '[server]\nmax_body_bytes = 9007199254740992',
    'server.max_body_bytes',
    2,
  ],
  [
    'a number above 64 bits',
    '[server]\nmax_body_bytes = 99999999999999999999',
    'server.max_body_bytes',
    2,
  ],
  [
    'a database below 1 MiB',
    '[server.jobs]\nmax_database_bytes = 1048575',
    'server.jobs.max_database_bytes',
    2,
  ],
  [
    'a wrong word for a limit',
    '[runtime.global]\nmax_concurrent = "none"',
    'runtime.global.max_concurrent',
    2,
  ],
  [
    'the word of another field',
    '[providers.agent_responses]\nmax_parallel_outputs = "unlimited"',
    'providers.agent_responses.max_parallel_outputs',
    2,
  ],
  ['an unknown default provider', 'default_provider = "dalle"', 'default_provider', 1],
  ['a bind without a port', '[server]\nbind = "127.0.0.1"', 'server.bind', 2],
  [
    'a port out of bounds',
    '[inputs.remote]\nallowed_ports = [443, 0]',
    'inputs.remote.allowed_ports[1]',
    2,
  ],
  [
    'a wildcard host',
    '[inputs.remote]\nallowed_hosts = ["*.example.com"]',
    'inputs.remote.allowed_hosts[0]',
    2,
  ],
  [
    'a public address with a query',
    '[server]\npublic_base_url = "https://a/?b"',
    'server.public_base_url',
    2,
  ],
  [
    'a plain endpoint',
    '[providers.agent_responses]\nendpoint = "http://example.com"',
    'providers.agent_responses.endpoint',
    2,
  ],
  [
    'a name that no variable can have',
    '[server]\nbearer_token_env = "A-B"',
    'server.bearer_token_env',
    2,
  ],
  ['an empty path', '[state]\ndirectory = ""', 'state.directory', 2],
  ['a schema with a quote', '[state.postgres]\nschema = "a\\"b"', 'state.postgres.schema', 2],
  ['a lease that is too short', '[replica]\nlease_ms = 4999', 'replica.lease_ms', 2],
  ['a process with SQLite that runs no jobs', '[replica]\nwork = false', 'replica.work', 2],
  [
    'an agent with threads on one machine beside PostgreSQL',
    '[state]\ndriver = "postgres"\n[providers.agent_app_server]\nenabled = true',
    'providers.agent_app_server.enabled',
    4,
  ],
  ['a bucket without a name', '[artifacts]\ndriver = "s3"', 'artifacts.s3.bucket', 2],
  ['a bucket with a slash', '[artifacts.s3]\nbucket = "a/b/c"', 'artifacts.s3.bucket', 2],
  ['a prefix that leaves the bucket', '[artifacts.s3]\nprefix = "a/.."', 'artifacts.s3.prefix', 2],
  ['a prefix with a slash at its end', '[artifacts.s3]\nprefix = "a/"', 'artifacts.s3.prefix', 2],
  [
    'an endpoint without encryption',
    '[artifacts.s3]\nendpoint = "http://s3.example"',
    'artifacts.s3.endpoint',
    2,
  ],
  ['a path with a NUL', '[artifacts]\nroot = "a\\u0000b"', 'artifacts.root', 2],
  [
    'an argument with a NUL',
    '[providers.agent_app_server]\nargs = ["a\\u0000b"]',
    'providers.agent_app_server.args[0]',
    2,
  ],
  [
    'a blank model',
    '[providers.agent_responses]\nimage_model = " "',
    'providers.agent_responses.image_model',
    2,
  ],
  [
    'a deadline above its maximum',
    '[runtime]\nrequest.max_timeout_ms = 1000',
    'runtime.default_timeout_ms',
    2,
  ],
  ['an image above the total', '[inputs]\nmax_bytes_total = 1024', 'inputs.max_bytes_each', 2],
  ['a default provider that is off', '\n\ndefault_provider = "sandbox"', 'default_provider', 3],
  [
    'the default provider switched off',
    '[providers.agent_responses]\nenabled = false',
    'default_provider',
    2,
  ],
  [
    'an unlisted default model',
    '[providers.agent_responses]\nmodels = ["a"]',
    'providers.agent_responses.image_model',
    2,
  ],
  ['a key that stands twice', '[server]\nbind = "a:1"\nbind = "a:2"', 'server.bind', 3],
  ['a table that stands twice', '[server]\n[images]\n[server]', 'server', 3],
  ['a key without a value', 'version = 1\n[server]\nbind =', 'server.bind', 3],
  ['a text that never ends', '[server]\nbind = "127.0.0.1:8787\n', 'server.bind', 2],
  ['a line that is no TOML', 'version = 1\nthis is no TOML', 'image-bridge.toml', 2],
];

describe('an invalid file', () => {
  it.each(IN_A_FILE)(
    'is reported with its field and line: %s',
    async (_name, toml, field, line) => {
      writeFileSync(join(folder(), 'image-bridge.toml'), toml);

      const loaded = await loadConfig({ env: {}, cwd: folder() });

      const errors = loaded.ok ? [] : loaded.errors;
      expect(errors.map((error) => [error.field, error.source, error.line])).toEqual([
        [field, 'image-bridge.toml', line],
      ]);
      expect(Object.prototype).not.toHaveProperty('bind');
    },
  );
});

describe('an invalid variable', () => {
  it.each([
    ['SERVER__JOBS__MAX_RUNNING', '0', 'server.jobs.max_running'],
    ['SERVER__JOBS__MAX_RUNNING', '', 'server.jobs.max_running'],
    ['SERVER__JOBS__MAX_RUNNING', '"4"', 'server.jobs.max_running'],
    ['SERVER__JOBS__MAX_RUNNING', '4.5', 'server.jobs.max_running'],
    ['SERVER__METRICS__ENABLED', 'yes', 'server.metrics.enabled'],
    ['SERVER__ALLOWED_HOSTS', 'a', 'server.allowed_hosts'],
    ['SERVER__ALLOWED_HOSTS', '["a", ""]', 'server.allowed_hosts[1]'],
    ['SERVER__COMPAT__MODEL_ALIASES', '{a = 1}', 'server.compat.model_aliases.a'],
    ['SERVER__BIND', '"127.0.0.1:8787"', 'server.bind'],
    ['SERVER__BEARER_TOKEN_ENV', '', 'server.bearer_token_env'],
    ['RUNTIME__GLOBAL__MAX_QUEUED', 'none', 'runtime.global.max_queued'],
    ['SERVER', '{bind = "127.0.0.1:1"}', 'server'],
    ['SERVER__BNID', '1', 'server.bnid'],
    ['server__bind', '1', 'server.bind'],
    ['', '1', '""'],
  ])('is reported by the name of the variable: %s=%s', async (name, value, field) => {
    const variable = `IMAGE_BRIDGE__${name}`;

    const loaded = await loadConfig({ env: { [variable]: value }, cwd: folder() });

    expect(loaded).toMatchObject({ ok: false, errors: [{ field, source: variable }] });
  });

  it('does not include other variables with a similar prefix', async () => {
    const env = { IMAGE_BRIDGE_TOKEN: 'x', IMAGE_BRIDGE: 'x', IMAGE_BRIDGEX__A: 'x' };

    const loaded = await loadConfig({ env, cwd: folder() });

    expect(loaded.ok).toBe(true);
  });
});

describe('an invalid --set', () => {
  it.each([
    ['server.jobs.max_running=0', 'server.jobs.max_running'],
    ['server.jobs.max_running=', 'server.jobs.max_running'],
    ['server.jobs={}', 'server.jobs'],
    ['server.bnid=1', 'server.bnid'],
    ['__proto__.x=1', '__proto__.x'],
    ['IMAGE_BRIDGE__SERVER__BIND=1', 'IMAGE_BRIDGE__SERVER__BIND'],
    ['server.bind', '--set'],
    ['=1', '--set'],
    ['', '--set'],
  ])('is reported: %j', async (assignment, field) => {
    const loaded = await loadConfig({ env: {}, cwd: folder(), set: [assignment] });

    expect(loaded).toMatchObject({ ok: false, errors: [{ field, source: '--set' }] });
  });
});
