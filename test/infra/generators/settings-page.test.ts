import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeSettings, settingsPage } from '../../../infra/generators/settings-page.ts';
import { listFields } from '../../../lib/config/settings/fields.ts';

describe('settingsPage', () => {
  it('lists every setting with its variable', () => {
    const page = settingsPage().replaceAll('<name>', 'sandbox').replaceAll('<NAME>', 'SANDBOX');

    const missing = listFields(() => ['sandbox']).filter(
      ({ path, environment }) =>
        !page.includes(`### \`${path}\`\n`) || !page.includes(`Variable: \`${environment}\`\n`),
    );
    expect(missing).toEqual([]);
  });

  it('shows the default of each setting, or its behaviour without a value', () => {
    const defaults = new Map(describeSettings().map((row) => [row.field, row.default]));

    expect(defaults.get('server.bind')).toBe('`"127.0.0.1:8787"`');
    expect(defaults.get('inputs.remote.allowed_ports')).toBe('`[443]`');
    expect(defaults.get('providers.agent_responses.home')).toBe('`$CODEX_HOME`, else `~/.codex`');
    expect(defaults.get('runtime.providers.<name>.max_queued')).toBe(
      'as `runtime.provider_default.max_queued`',
    );
  });

  it('equals docs/configure.md', () => {
    const committed = readFileSync('docs/configure.md', 'utf8');

    expect(committed).toBe(settingsPage());
  });
});
