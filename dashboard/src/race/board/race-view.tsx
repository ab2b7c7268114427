import { LayoutGrid, Repeat2, Trophy, X } from 'lucide';
import { useEffect, useMemo } from 'preact/hooks';
import { Button, IconLabel } from '../../controls/button.tsx';
import { Switch } from '../../controls/inputs.tsx';
import { Blank } from '../../gallery/states/blank.tsx';
import { MAX_IMAGES, tablePath } from '../../light-table/table-path.ts';
import { usePage } from '../../page-context.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { mayCreate } from '../../usage/usage.ts';
import { stopSending } from '../panel/send-race.ts';
import { isNotSent, MAX_RACERS } from '../race-state.ts';
import { createRaceBoard, type RaceBoard, tally } from './race-board.ts';
import { RaceLanes } from './race-lanes.tsx';
import { moneyTexts } from './race-money.ts';
import './race-view.css';

/** Shows the results of a race: a row for each prompt and a column for each model. Without an id, the race is not started. */
export function RaceView({ id }: { readonly id: string | undefined }) {
  return id === undefined ? <NewRace /> : <Race key={id} id={id} />;
}

function NewRace() {
  const { usage } = usePage();
  const isAllowed = mayCreate(usage.latest.value);
  return (
    <main class="gallery race">
      <h1 class="sr">{text('race')}</h1>
      <Blank
        icon={Trophy}
        title={text('race.new')}
        detail={text(isAllowed ? 'race.new.text' : 'race.problem.permission')}
      />
    </main>
  );
}

function Race({ id }: { readonly id: string }) {
  const page = usePage();
  const board = useMemo(() => createRaceBoard(page, id), [page, id]);
  const { value: returns } = page.connection.returns;
  useEffect(() => {
    void board.load();
  }, [board, returns]);
  useEffect(() => board.close, [board]);
  const { value: table } = board.table;
  const { racers } = page.race;
  useEffect(() => {
    // The next race begins with the models of this race, unless models are chosen.
    if (racers.peek().length > 0) return;
    racers.value = table.columns.flatMap((racer) => racer ?? []).slice(0, MAX_RACERS);
  }, [racers, table]);
  const { value: error } = board.error;
  useEffect(() => {
    const { title } = table.differences;
    document.title = `${title === '' ? text('race') : title} – ${text('app.name')}`;
    return () => {
      document.title = text('app.name');
    };
  }, [table]);
  if (table.rows.length > 0) return <Results board={board} />;
  return (
    <main class="gallery race" aria-busy={!board.isLoaded.value && error === undefined}>
      <h1 class="sr">{text('race')}</h1>
      {error ? (
        <Lost board={board} />
      ) : (
        board.isLoaded.value && (
          <Blank
            icon={X}
            role="alert"
            title={text('race.notFound')}
            detail={text('race.notFound.text')}
          />
        )
      )}
    </main>
  );
}

/** Shows why the race cannot be read, for example because the token lacks a permission. */
function Lost({ board }: { readonly board: RaceBoard }) {
  const { value: error } = board.error;
  if (error === undefined) return null;
  const words = toFailureText(error, Date.now());
  return (
    <Blank icon={X} tone="bad" role="alert" title={words.title} detail={words.text}>
      <Button onClick={() => void board.load()}>{text('action.retry')}</Button>
    </Blank>
  );
}

function Results({ board }: { readonly board: RaceBoard }) {
  const page = usePage();
  const { race, router, batches, usage, toasts } = page;
  const { rows, differences } = board.table.value;
  const cells = rows.flatMap((row) => row.cells);
  const { all, done, failed, stopped, running, waiting } = tally(cells);
  const finished = cells.flatMap(({ job }) => (job && job.artifacts.length > 0 ? [job.id] : []));
  const mayChange = mayCreate(usage.latest.value);
  const unsent = cells.flatMap((cell) =>
    cell.unsent && isNotSent(cell.unsent) ? cell.unsent : [],
  );
  const resend = race.resend.get(board.id);

  function stop(): void {
    stopSending(page, board.id);
    const ids = cells.flatMap(({ job }) => (job?.status === 'queued' ? [job.id] : []));
    if (ids.length > 0) void batches.change({ action: 'cancel' }, ids, 'gallery.wasCancelled');
  }

  function compare(): void {
    if (finished.length >= 2) router.navigate(tablePath(finished.slice(0, MAX_IMAGES)));
    else toasts.show({ kind: 'refused', text: text('race.compare.few') });
  }

  const parts = [
    text('race.done', { done, all }),
    failed > 0 && text('race.failed', { count: failed }),
    stopped > 0 && text('race.stopped', { count: stopped }),
    running > 0 && text('app.working.running', { count: running }),
    waiting > 0 && text('race.waiting', { count: waiting }),
    ...moneyTexts(cells, board.costs.value),
    board.isMore.value && text('race.more'),
  ].filter((part) => typeof part === 'string');
  return (
    <main class="gallery race">
      <header class="race-head row">
        <div class="grow">
          <h1 class="cut">{differences.title}</h1>
          <p class="soft num" role="status">
            {parts.join(text('list.separator'))}
          </p>
        </div>
        <span class="hide-names row">
          <span class="soft" aria-hidden="true">
            {text('race.hideNames')}
          </span>
          <Switch
            label={text('race.hideNames.long')}
            on={race.hidesNames.value}
            onChange={(on) => {
              race.hidesNames.value = on;
            }}
          />
        </span>
        <Button
          refused={finished.length < 2 ? text('race.compare.few') : undefined}
          onClick={compare}
        >
          <IconLabel of={LayoutGrid}>{text('table.title')}</IconLabel>
        </Button>
        {mayChange && resend && unsent.length > 1 && (
          <Button onClick={() => resend(unsent)}>
            <IconLabel of={Repeat2}>{text('race.again.all', { count: unsent.length })}</IconLabel>
          </Button>
        )}
        {mayChange && (
          <Button look="danger" disabled={waiting === 0} onClick={stop}>
            {text('race.stop')}
          </Button>
        )}
      </header>
      <RaceLanes board={board} mayChange={mayChange} />
    </main>
  );
}
