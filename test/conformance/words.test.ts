import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources, type SourceFile } from './sources.ts';
import { findPhrases } from './words.ts';

/** Words that the code no longer uses. Plain technical words replaced them: image, request, reply, index, queue, app. */
const PHRASES = [
  ...['answers', 'patience', 'whoever', 'nobody', 'by itself', 'went on', 'going on', 'went away'],
  ...['goes away', 'spoilt', 'telling', 'strays'],
  ...['picture', 'pictures', 'easel', 'easels', 'painter', 'commissions', 'household', 'errand'],
  ...['unbuilt', 'oddity', 'oddities', 'riddle', 'hearing', 'waiting line', 'given a rest'],
  ...['carry out', 'carries out', 'carried out', 'handed over', 'hand over', 'took back'],
  ...['lays down', 'here too', 'told apart', 'outdo', 'outdoes'],
  ...[
    'hear',
    'heard',
    'house',
    'houses',
    'manners',
    'commission',
    'everybody',
    'leaver',
    'last call',
  ],
  ...['judge', 'judges', 'judged', 'weigh', 'weighs', 'weighed', 'weighing', 'lay', 'lays', 'laid'],
  ...['takes back', 'takes along', 'comes of', 'exchange', 'stands for', 'stand for'],
  ...['answered', 'answering', 'hears', 'tell', 'told', 'wish', 'wishes', 'wished', 'patient'],
  ...['sound', 'unsound', 'goes on', 'go on', 'take back', 'in passing', 'gone'],
];

/** What browsers call a feature of theirs. */
const FEATURE = 'picture-in-picture';

/** The files that contain the list. */
const OWN_FILES = /^test\/conformance\/words/;

function documents(): readonly SourceFile[] {
  const infra = readdirSync(`${ROOT}infra`, { recursive: true, encoding: 'utf8' });
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
    .concat(infra.filter((name) => name.endsWith('.md')).map((name) => `infra/${name}`))
    .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));
}

describe('findPhrases', () => {
  it.each([
    ['a word', 'one picture', '1: picture'],
    ['a capital', '\nPicture', '2: picture'],
    ['a part of an identifier', 'const isPictureOf = 1;', '1: picture'],
    ['a part after an abbreviation', 'PNGPicture', '1: picture'],
    ['a part of a file name', "from './picture-size.ts'", '1: picture'],
    ['words in a row', 'the waitingLine', '1: waiting line'],
  ])('finds %s', (_what, text, found) => {
    expect(findPhrases(text, ['picture', 'waiting line'])).toEqual([found]);
  });

  it.each(['pictures', 'depicture', 'waiting for a line'])('ignores %j', (text) => {
    expect(findPhrases(text, ['picture', 'waiting line'])).toEqual([]);
  });
});

describe('the program, its tests and its documents', () => {
  it('contain none of the replaced words', () => {
    const files = [
      ...readSources(['handlers', 'lib', 'local-runtime', 'dashboard', 'test']),
      ...documents(),
    ];

    const found = files
      .filter(({ path }) => !OWN_FILES.test(path))
      .flatMap(({ path, text }) =>
        findPhrases(`${text.replace(FEATURE, '')}\n${path}`, PHRASES).map(
          (phrase) => `${path}:${phrase}`,
        ),
      );

    expect(found).toEqual([]);
  });
});
