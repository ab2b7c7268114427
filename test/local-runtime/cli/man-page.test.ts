import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createParser } from '../../../local-runtime/cli/command-line.ts';
import { COMMAND_SECTIONS } from '../../../local-runtime/cli/command-table/commands.ts';
import { manPage } from '../../../local-runtime/cli/man-page.ts';
import { testIo } from '../../support/run-command.ts';

describe('manPage', () => {
  const page = manPage(createParser(testIo(tmpdir())), '1.2.3');

  it('describes every command with its options, examples and exit codes', () => {
    const escaped = (text: string) => text.replaceAll('-', '\\-');
    for (const [, commands] of COMMAND_SECTIONS) {
      for (const { name, options = {}, examples, exits } of commands) {
        const [section = ''] = page.split(`\n.SS ${escaped(name)}\n`)[1]?.split('\n.SS ') ?? [];
        for (const option of Object.keys(options)) {
          const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
          expect(section).toContain(escaped(`--${flag}`));
        }
        for (const [, about] of examples) expect(section).toContain(escaped(about));
        for (const about of Object.values(exits)) expect(section).toContain(escaped(about));
      }
    }
  });

  it('has no line that roff would treat as an unknown request', () => {
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));

    const known = /^\.(TH|SH|SS|TP|B|I|nf|fi)\b/;
    expect(requests.filter((line) => !known.test(line))).toEqual([]);
    expect(page).toContain('Image Bridge 1.2.3');
    expect(page).not.toContain('\u001b');
  });
});
