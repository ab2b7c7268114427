import type { CommandIo } from '../command-io.ts';

type Protocol = 'kitty' | 'iterm2';

/** The longest base64 in one escape sequence of kitty. */
const CHUNK_CHARS = 4096;

/** Programs that say in `TERM_PROGRAM` who they are. */
const PROGRAMS: Readonly<Record<string, Protocol>> = {
  ghostty: 'kitty',
  kitty: 'kitty',
  'iTerm.app': 'iterm2',
  WezTerm: 'iterm2',
  mintty: 'iterm2',
};

/** Which protocol the terminal of standard output has for images; undefined for none, and for no terminal. */
export function imageProtocol({ env, isTerminal }: CommandIo): Protocol | undefined {
  // A multiplexer passes no images through without being asked.
  if (!isTerminal.stdout || env['TMUX'] || /^(screen|tmux|dumb)/.test(env['TERM'] ?? '')) {
    return undefined;
  }
  if (env['KITTY_WINDOW_ID'] || env['TERM'] === 'xterm-kitty') return 'kitty';
  return (
    PROGRAMS[env['TERM_PROGRAM'] ?? ''] ??
    PROGRAMS[env['LC_TERMINAL'] === 'iTerm2' ? 'iTerm.app' : '']
  );
}

/**
 * What shows a PNG at the cursor. The protocols: https://sw.kovidgoyal.net/kitty/graphics-protocol,
 * https://iterm2.com/documentation-images.html.
 */
export function imageSequence(png: Buffer, protocol: Protocol): string {
  const base64 = png.toString('base64');
  if (protocol === 'iterm2')
    return `\u001b]1337;File=inline=1;size=${png.length}:${base64}\u0007\n`;
  const chunks = base64.match(new RegExp(`.{1,${CHUNK_CHARS}}`, 'g')) ?? [];
  return `${chunks
    .map((chunk, at) => {
      const first = at === 0 ? 'a=T,f=100,' : '';
      return `\u001b_G${first}m=${at < chunks.length - 1 ? 1 : 0};${chunk}\u001b\\`;
    })
    .join('')}\n`;
}
