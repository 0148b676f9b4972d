CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE clock (
	id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE playthrough (
	id TEXT NOT NULL, 
	campaign TEXT NOT NULL, 
	title TEXT NOT NULL, 
	parent_id TEXT, 
	fork_turn INTEGER NOT NULL, 
	fork_seq INTEGER NOT NULL, 
	seed TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	superseded_by TEXT, 
	deleted_at TEXT, story TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(parent_id) REFERENCES playthrough (id)
);
CREATE INDEX playthrough_parent ON playthrough (parent_id);
CREATE TABLE turn (
	seq INTEGER NOT NULL, 
	line TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	session_id TEXT NOT NULL, 
	choice TEXT NOT NULL, 
	begun_at TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
CREATE INDEX turn_place ON turn (line, turn);
CREATE TABLE scene (
	seq INTEGER NOT NULL, 
	line TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	scene TEXT NOT NULL, 
	state TEXT NOT NULL, 
	game_time FLOAT NOT NULL, 
	finished_at TEXT NOT NULL, 
	PRIMARY KEY (seq), 
	UNIQUE (line, turn)
);
CREATE TABLE record (
	seq INTEGER NOT NULL, 
	line TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	data_type TEXT NOT NULL, 
	id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	gone BOOLEAN NOT NULL, 
	origin INTEGER NOT NULL, 
	first_turn INTEGER NOT NULL, 
	session_id TEXT NOT NULL, 
	skill TEXT NOT NULL, 
	stored_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	timestamp TEXT NOT NULL, 
	game_time FLOAT NOT NULL, 
	text TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
CREATE INDEX record_place ON record (line, data_type);
CREATE INDEX record_name ON record (data_type, id);
CREATE INDEX record_later ON record (data_type, id) WHERE version > 0;
CREATE TABLE label (
	line TEXT NOT NULL, 
	data_type TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	PRIMARY KEY (line, data_type, name, value, seq)
)
 WITHOUT ROWID

;
CREATE INDEX label_record ON label (seq);
CREATE TABLE change (
	seq INTEGER NOT NULL, 
	line TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	data_type TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	id TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	skill TEXT NOT NULL, 
	at TEXT NOT NULL, 
	delta FLOAT NOT NULL, 
	game_time FLOAT NOT NULL, 
	rate FLOAT, 
	low FLOAT, 
	high FLOAT, 
	forgotten BOOLEAN NOT NULL, 
	PRIMARY KEY (seq)
);
CREATE INDEX change_place ON change (line, data_type, subject);
CREATE TABLE embedding_model (
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	active BOOLEAN NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (name)
);
CREATE TABLE embedding (
	seq INTEGER NOT NULL, 
	model INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	line TEXT NOT NULL, 
	data_type TEXT NOT NULL, 
	data BLOB NOT NULL, 
	PRIMARY KEY (seq, model, part)
);
CREATE INDEX embedding_place ON embedding (line, model);
CREATE VIRTUAL TABLE record_text USING fts5(
         text, content='record', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE record_terms USING fts5vocab('record_text', 'row');
CREATE TRIGGER record_text_added AFTER INSERT ON record WHEN new.text <> '' BEGIN
         INSERT INTO record_text(rowid, text) VALUES (new.seq, new.text);
       END;
CREATE TRIGGER record_text_removed AFTER DELETE ON record WHEN old.text <> '' BEGIN
         INSERT INTO record_text(record_text, rowid, text) VALUES ('delete', old.seq, old.text);
       END;
CREATE TRIGGER turn_is_a_log BEFORE UPDATE ON turn BEGIN
    SELECT RAISE(ABORT, 'turn is append-only');
END;
CREATE TRIGGER scene_is_a_log BEFORE UPDATE ON scene BEGIN
    SELECT RAISE(ABORT, 'scene is append-only');
END;
CREATE TRIGGER record_is_a_log BEFORE UPDATE ON record BEGIN
    SELECT RAISE(ABORT, 'record is append-only');
END;
CREATE TRIGGER change_is_a_log BEFORE UPDATE ON change BEGIN
    SELECT RAISE(ABORT, 'change is append-only');
END;
CREATE INDEX playthrough_superseded ON playthrough (superseded_by);
CREATE TABLE story (
	id TEXT NOT NULL, 
	line TEXT NOT NULL, 
	root TEXT NOT NULL, 
	campaign TEXT NOT NULL, 
	title TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	player TEXT NOT NULL, 
	seed TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	played_at TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	mark TEXT NOT NULL, 
	place TEXT NOT NULL, 
	ended TEXT NOT NULL, 
	seconds_played FLOAT NOT NULL, 
	parent TEXT, 
	branched_at INTEGER, 
	holder TEXT NOT NULL, 
	fence INTEGER NOT NULL, owner TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX story_played ON story (played_at, id);
CREATE INDEX story_campaign ON story (campaign, played_at, id);
CREATE INDEX story_root ON story (root);
CREATE INDEX story_parent ON story (parent);
CREATE TABLE server (
	id TEXT NOT NULL, 
	seen_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX story_owner ON story (owner, played_at, id);
CREATE INDEX story_title ON story (owner, title, player, number);
CREATE TABLE story_reader (
	story TEXT NOT NULL, 
	account TEXT NOT NULL, 
	PRIMARY KEY (story, account)
);
CREATE INDEX story_reader_account ON story_reader (account);
INSERT INTO alembic_version VALUES ('0003');
INSERT INTO clock VALUES (1, 0);
