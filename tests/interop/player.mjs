#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { Contradiction } from './lib/errors.mjs';
import { Player } from './lib/player.mjs';

const USAGE = `usage: node player.mjs HOST PORT --name NAME [options]

  --table NAME       the table to sit down at, opened if there is none of that name; without it, one of the own name
  --rules SET        the rule set of a table that is opened: hawaiian, quarter, family or two-round
  --switches JSON    where a table that is opened differs from the rule set
  --hands N          leave after so many hands (1)
  --start            start the hands, as soon as two or more sit at the table
  --cut-after K      cut the link after the Kth event of each hand, and come back

It ends with 0 if all was well, with 1 if the server contradicts the protocol document, with 2 if it could not play.`;

let options;
try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      table: { type: 'string' },
      rules: { type: 'string' },
      switches: { type: 'string' },
      hands: { type: 'string', default: '1' },
      start: { type: 'boolean', default: false },
      'cut-after': { type: 'string' },
    },
  });
  const whole = (name) => {
    const number = values[name] && Number(values[name]);
    if (number === undefined || (Number.isSafeInteger(number) && number >= 1)) return number;
    throw new Error(`--${name} takes a number from 1 on`);
  };
  const [host, port] = positionals;
  if (positionals.length !== 2 || !values.name) throw new Error('HOST, PORT and --name are needed');
  options = {
    host,
    port: Number(port),
    name: values.name,
    table: values.table,
    rules: values.rules,
    switches: values.switches && JSON.parse(values.switches),
    hands: whole('hands'),
    start: values.start,
    cutAfter: whole('cut-after'),
  };
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exit(2);
}

try {
  await new Player(options, (line) => console.log(line)).run();
} catch (error) {
  const contradicts = error instanceof Contradiction;
  console.error(contradicts ? `The server contradicts the document: ${error.message}` : error.message);
  process.exitCode = contradicts ? 1 : 2;
}
