PRAGMA application_id = 1348561269;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE players (
        player TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        bot INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        expires INTEGER NOT NULL  -- Unix time, seconds
    ) WITHOUT ROWID
    ;
INSERT INTO "players" VALUES('going-on-p0','Name of going-on-p0',0,X'00FF676F696E672D6F6E2D7030',1800000000);
INSERT INTO "players" VALUES('going-on-p1','Name of going-on-p1',0,X'00FF676F696E672D6F6E2D7031',1800000000);
CREATE TABLE server (id TEXT NOT NULL);
INSERT INTO "server" VALUES('a8b5965a15337162');
CREATE TABLE steps (
        number INTEGER NOT NULL PRIMARY KEY,
        "table" INTEGER NOT NULL REFERENCES tables (number),
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,  -- Unix time, seconds
        events TEXT NOT NULL
    );
INSERT INTO "steps" VALUES(1,1,1,1764500000,'[{"type":"table-opened","name":"Table evening","rules":{"wild_rule":"turned-rank","opening_discard":true,"closed_discards":false,"first_call_round":1,"round_limit":null,"last_turns":"one-more-each","paiute_turns":"any-turn","royal_on_top":false,"ties":"split","payment":"pot","stake":25,"large_table":false,"house_deals":false},"seats":3,"time_limit_ms":60000}]');
INSERT INTO "steps" VALUES(2,1,2,1764500003,'[{"type":"player-sat","seat":0,"player":"evening-p0","name":"evening-p0","bot":false}]');
INSERT INTO "steps" VALUES(3,1,3,1764500006,'[{"type":"player-sat","seat":1,"player":"evening-p1","name":"evening-p1","bot":false}]');
INSERT INTO "steps" VALUES(4,1,4,1764500009,'[{"type":"player-sat","seat":2,"player":"evening-p2","name":"evening-p2","bot":false}]');
INSERT INTO "steps" VALUES(5,1,5,1764500012,'[{"type":"hand-started","hand":1,"order":[0,1,2],"players":["evening-p0","evening-p1","evening-p2"],"dealer":2,"cutter":1,"pack":["Td","2h","3s","7d","8s","Th","9h","Qs","Tc","Jc","5s","3c","7s","Qc","6h","7h","Ks","Jd","4s","5c","3d","3h","Js","9s","5d","6s","2s","8h","4d","5h","9d","8c","Kd","Kh","Ac","6c","8d","Kc","6d","Ah","2c","Ad","2d","Ts","Jh","4c","Qh","4h","As","9c","Qd","7c"],"paid":25,"pot":75}]');
INSERT INTO "steps" VALUES(6,1,7,1764500015,'[{"type":"pack-cut","seat":1,"position":23,"by":"house"},{"type":"hand-dealt","hands":[{"seat":0,"cards":["9s","2s","5h","Kd","6c"]},{"seat":1,"cards":["5d","8h","9d","Kh","8d"]},{"seat":2,"cards":["6s","4d","8c","Ac","Kc"]}],"turned":"6d","wild":["6c","6h","6s"],"opening_discard":"Ah","stock":35,"next":0}]');
INSERT INTO "steps" VALUES(7,1,8,1764500018,'[{"type":"card-drawn","seat":0,"source":"discards","card":"Ah","face_up":true,"stock":35,"by":"player"}]');
INSERT INTO "steps" VALUES(8,1,9,1764500021,'[{"type":"card-discarded","seat":0,"card":"9s","face_up":true,"by":"player","next":1,"round":1}]');
INSERT INTO "steps" VALUES(9,1,10,1764500024,'[{"type":"card-drawn","seat":1,"source":"discards","card":"9s","face_up":true,"stock":35,"by":"player"}]');
INSERT INTO "steps" VALUES(10,1,11,1764500027,'[{"type":"card-discarded","seat":1,"card":"8d","face_up":true,"by":"player","next":2,"round":1}]');
INSERT INTO "steps" VALUES(11,1,12,1764500030,'[{"type":"card-drawn","seat":2,"source":"stock","card":"2c","face_up":false,"stock":34,"by":"player"}]');
INSERT INTO "steps" VALUES(12,1,13,1764500033,'[{"type":"card-discarded","seat":2,"card":"2c","face_up":true,"by":"player","next":0,"round":2}]');
INSERT INTO "steps" VALUES(13,1,14,1764500036,'[{"type":"card-drawn","seat":0,"source":"discards","card":"2c","face_up":true,"stock":34,"by":"player"}]');
INSERT INTO "steps" VALUES(14,1,15,1764500039,'[{"type":"card-discarded","seat":0,"card":"Kd","face_up":true,"by":"player","next":1,"round":2}]');
INSERT INTO "steps" VALUES(15,1,16,1764500042,'[{"type":"card-drawn","seat":1,"source":"stock","card":"Ad","face_up":false,"stock":33,"by":"player"}]');
INSERT INTO "steps" VALUES(16,1,17,1764500045,'[{"type":"card-discarded","seat":1,"card":"Kh","face_up":true,"by":"player","next":2,"round":2}]');
INSERT INTO "steps" VALUES(17,1,18,1764500048,'[{"type":"card-drawn","seat":2,"source":"discards","card":"Kh","face_up":true,"stock":33,"by":"player"}]');
INSERT INTO "steps" VALUES(18,1,19,1764500051,'[{"type":"player-left","seat":0,"player":"evening-p0","reason":"left"}]');
INSERT INTO "steps" VALUES(19,1,20,1764500054,'[{"type":"card-discarded","seat":2,"card":"6s","face_up":true,"by":"player","next":0,"round":3}]');
INSERT INTO "steps" VALUES(20,1,22,1764500057,'[{"type":"card-drawn","seat":0,"source":"stock","card":"2d","face_up":false,"stock":32,"by":"house"},{"type":"card-discarded","seat":0,"card":"2d","face_up":true,"by":"house","next":1,"round":3}]');
INSERT INTO "steps" VALUES(21,1,23,1764500060,'[{"type":"card-drawn","seat":1,"source":"stock","card":"Ts","face_up":false,"stock":31,"by":"player"}]');
INSERT INTO "steps" VALUES(22,1,24,1764500063,'[{"type":"card-discarded","seat":1,"card":"Ts","face_up":true,"by":"player","next":2,"round":3}]');
INSERT INTO "steps" VALUES(23,1,25,1764500066,'[{"type":"card-drawn","seat":2,"source":"discards","card":"Ts","face_up":true,"stock":31,"by":"player"}]');
INSERT INTO "steps" VALUES(24,1,26,1764500069,'[{"type":"card-discarded","seat":2,"card":"Ac","face_up":true,"by":"player","next":0,"round":4}]');
INSERT INTO "steps" VALUES(25,2,1,1764500072,'[{"type":"table-opened","name":"Table going-on","rules":{"wild_rule":"turned-rank","opening_discard":false,"closed_discards":false,"first_call_round":1,"round_limit":null,"last_turns":"to-closer","paiute_turns":"auto","royal_on_top":false,"ties":"split","payment":"pot","stake":25,"large_table":false,"house_deals":false},"seats":2,"time_limit_ms":60000}]');
INSERT INTO "steps" VALUES(26,1,28,1764500075,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Jh","face_up":false,"stock":30,"by":"house"},{"type":"card-discarded","seat":0,"card":"Jh","face_up":true,"by":"house","next":1,"round":4}]');
INSERT INTO "steps" VALUES(27,1,29,1764500078,'[{"type":"card-drawn","seat":1,"source":"discards","card":"Jh","face_up":true,"stock":30,"by":"player"}]');
INSERT INTO "steps" VALUES(28,1,30,1764500081,'[{"type":"card-discarded","seat":1,"card":"9s","face_up":true,"by":"player","next":2,"round":4}]');
INSERT INTO "steps" VALUES(29,1,31,1764500084,'[{"type":"card-drawn","seat":2,"source":"discards","card":"9s","face_up":true,"stock":30,"by":"player"}]');
INSERT INTO "steps" VALUES(30,1,32,1764500087,'[{"type":"card-discarded","seat":2,"card":"Ts","face_up":true,"by":"player","next":0,"round":5}]');
INSERT INTO "steps" VALUES(31,1,34,1764500090,'[{"type":"card-drawn","seat":0,"source":"stock","card":"4c","face_up":false,"stock":29,"by":"house"},{"type":"card-discarded","seat":0,"card":"4c","face_up":true,"by":"house","next":1,"round":5}]');
INSERT INTO "steps" VALUES(32,1,35,1764500093,'[{"type":"player-left","seat":2,"player":"evening-p2","reason":"left"}]');
INSERT INTO "steps" VALUES(33,1,36,1764500096,'[{"type":"card-drawn","seat":1,"source":"discards","card":"4c","face_up":true,"stock":29,"by":"player"}]');
INSERT INTO "steps" VALUES(34,1,37,1764500099,'[{"type":"card-discarded","seat":1,"card":"Ad","face_up":true,"by":"player","next":2,"round":5}]');
INSERT INTO "steps" VALUES(35,2,2,1764500102,'[{"type":"player-sat","seat":0,"player":"going-on-p0","name":"going-on-p0","bot":false}]');
INSERT INTO "steps" VALUES(36,1,39,1764500105,'[{"type":"card-drawn","seat":2,"source":"stock","card":"Qh","face_up":false,"stock":28,"by":"house"},{"type":"card-discarded","seat":2,"card":"Qh","face_up":true,"by":"house","next":0,"round":6}]');
INSERT INTO "steps" VALUES(37,1,41,1764500108,'[{"type":"card-drawn","seat":0,"source":"stock","card":"4h","face_up":false,"stock":27,"by":"house"},{"type":"card-discarded","seat":0,"card":"4h","face_up":true,"by":"house","next":1,"round":6}]');
INSERT INTO "steps" VALUES(38,1,42,1764500111,'[{"type":"card-drawn","seat":1,"source":"stock","card":"As","face_up":false,"stock":26,"by":"player"}]');
INSERT INTO "steps" VALUES(39,1,43,1764500114,'[{"type":"card-discarded","seat":1,"card":"4c","face_up":true,"by":"player","next":2,"round":6}]');
INSERT INTO "steps" VALUES(40,1,45,1764500117,'[{"type":"card-drawn","seat":2,"source":"stock","card":"9c","face_up":false,"stock":25,"by":"house"},{"type":"card-discarded","seat":2,"card":"9c","face_up":true,"by":"house","next":0,"round":7}]');
INSERT INTO "steps" VALUES(41,1,47,1764500120,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Qd","face_up":false,"stock":24,"by":"house"},{"type":"card-discarded","seat":0,"card":"Qd","face_up":true,"by":"house","next":1,"round":7}]');
INSERT INTO "steps" VALUES(42,1,48,1764500123,'[{"type":"card-drawn","seat":1,"source":"discards","card":"Qd","face_up":true,"stock":24,"by":"player"}]');
INSERT INTO "steps" VALUES(43,1,49,1764500126,'[{"type":"card-discarded","seat":1,"card":"8h","face_up":true,"by":"player","next":2,"round":7}]');
INSERT INTO "steps" VALUES(44,1,51,1764500129,'[{"type":"card-drawn","seat":2,"source":"stock","card":"7c","face_up":false,"stock":23,"by":"house"},{"type":"card-discarded","seat":2,"card":"7c","face_up":true,"by":"house","next":0,"round":8}]');
INSERT INTO "steps" VALUES(45,2,3,1764500132,'[{"type":"player-sat","seat":1,"player":"going-on-p1","name":"going-on-p1","bot":false}]');
INSERT INTO "steps" VALUES(46,1,53,1764500135,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Td","face_up":false,"stock":22,"by":"house"},{"type":"card-discarded","seat":0,"card":"Td","face_up":true,"by":"house","next":1,"round":8}]');
INSERT INTO "steps" VALUES(47,1,54,1764500138,'[{"type":"card-drawn","seat":1,"source":"discards","card":"Td","face_up":true,"stock":22,"by":"player"}]');
INSERT INTO "steps" VALUES(48,1,55,1764500141,'[{"type":"card-discarded","seat":1,"card":"Jh","face_up":true,"by":"player","next":2,"round":8}]');
INSERT INTO "steps" VALUES(49,1,57,1764500144,'[{"type":"card-drawn","seat":2,"source":"stock","card":"2h","face_up":false,"stock":21,"by":"house"},{"type":"card-discarded","seat":2,"card":"2h","face_up":true,"by":"house","next":0,"round":9}]');
INSERT INTO "steps" VALUES(50,1,59,1764500147,'[{"type":"card-drawn","seat":0,"source":"stock","card":"3s","face_up":false,"stock":20,"by":"house"},{"type":"card-discarded","seat":0,"card":"3s","face_up":true,"by":"house","next":1,"round":9}]');
INSERT INTO "steps" VALUES(51,1,60,1764500150,'[{"type":"card-drawn","seat":1,"source":"stock","card":"7d","face_up":false,"stock":19,"by":"player"}]');
INSERT INTO "steps" VALUES(52,1,61,1764500153,'[{"type":"card-discarded","seat":1,"card":"7d","face_up":true,"by":"house","next":2,"round":9}]');
INSERT INTO "steps" VALUES(53,1,63,1764500156,'[{"type":"card-drawn","seat":2,"source":"stock","card":"8s","face_up":false,"stock":18,"by":"house"},{"type":"card-discarded","seat":2,"card":"8s","face_up":true,"by":"house","next":0,"round":10}]');
INSERT INTO "steps" VALUES(54,1,65,1764500159,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Th","face_up":false,"stock":17,"by":"house"},{"type":"card-discarded","seat":0,"card":"Th","face_up":true,"by":"house","next":1,"round":10}]');
INSERT INTO "steps" VALUES(55,2,4,1764500162,'[{"type":"hand-started","hand":1,"order":[1,0],"players":["going-on-p1","going-on-p0"],"dealer":0,"cutter":1,"pack":["5c","2d","3d","5d","2s","8c","2c","Qs","6h","6d","Ad","Qc","Tc","3c","Ac","9d","Qd","8s","3s","4d","9c","Jh","Jc","Td","3h","7s","Ts","9h","7h","5h","8d","Qh","Kh","7c","Jd","4s","Ks","6c","Kc","Th","6s","8h","9s","As","5s","2h","Js","7d","Ah","Kd","4c","4h"],"paid":25,"pot":50}]');
INSERT INTO "steps" VALUES(56,1,66,1764500165,'[{"type":"card-drawn","seat":1,"source":"stock","card":"9h","face_up":false,"stock":16,"by":"player"}]');
INSERT INTO "steps" VALUES(57,1,67,1764500168,'[{"type":"card-discarded","seat":1,"card":"As","face_up":true,"by":"player","next":2,"round":10}]');
INSERT INTO "steps" VALUES(58,1,69,1764500171,'[{"type":"card-drawn","seat":2,"source":"stock","card":"Qs","face_up":false,"stock":15,"by":"house"},{"type":"card-discarded","seat":2,"card":"Qs","face_up":true,"by":"house","next":0,"round":11}]');
INSERT INTO "steps" VALUES(59,1,71,1764500174,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Tc","face_up":false,"stock":14,"by":"house"},{"type":"card-discarded","seat":0,"card":"Tc","face_up":true,"by":"house","next":1,"round":11}]');
INSERT INTO "steps" VALUES(60,1,72,1764500177,'[{"type":"card-drawn","seat":1,"source":"discards","card":"Tc","face_up":true,"stock":14,"by":"player"}]');
INSERT INTO "steps" VALUES(61,1,73,1764500180,'[{"type":"card-discarded","seat":1,"card":"9h","face_up":true,"by":"player","next":2,"round":11}]');
INSERT INTO "steps" VALUES(62,1,75,1764500183,'[{"type":"card-drawn","seat":2,"source":"stock","card":"Jc","face_up":false,"stock":13,"by":"house"},{"type":"card-discarded","seat":2,"card":"Jc","face_up":true,"by":"house","next":0,"round":12}]');
INSERT INTO "steps" VALUES(63,1,77,1764500186,'[{"type":"card-drawn","seat":0,"source":"stock","card":"5s","face_up":false,"stock":12,"by":"house"},{"type":"card-discarded","seat":0,"card":"5s","face_up":true,"by":"house","next":1,"round":12}]');
INSERT INTO "steps" VALUES(64,1,78,1764500189,'[{"type":"card-drawn","seat":1,"source":"stock","card":"3c","face_up":false,"stock":11,"by":"player"}]');
INSERT INTO "steps" VALUES(65,2,6,1764500192,'[{"type":"pack-cut","seat":1,"position":20,"by":"player"},{"type":"hand-dealt","hands":[{"seat":1,"cards":["9c","Jc","3h","Ts","7h"]},{"seat":0,"cards":["Jh","Td","7s","9h","5h"]}],"turned":"8d","wild":["8c","8h","8s"],"opening_discard":null,"stock":41,"next":1}]');
INSERT INTO "steps" VALUES(66,1,79,1764500195,'[{"type":"card-discarded","seat":1,"card":"5d","face_up":true,"by":"player","next":2,"round":12}]');
INSERT INTO "steps" VALUES(67,1,81,1764500198,'[{"type":"card-drawn","seat":2,"source":"stock","card":"7s","face_up":false,"stock":10,"by":"house"},{"type":"card-discarded","seat":2,"card":"7s","face_up":true,"by":"house","next":0,"round":13}]');
INSERT INTO "steps" VALUES(68,1,83,1764500201,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Qc","face_up":false,"stock":9,"by":"house"},{"type":"card-discarded","seat":0,"card":"Qc","face_up":true,"by":"house","next":1,"round":13}]');
INSERT INTO "steps" VALUES(69,1,84,1764500204,'[{"type":"card-drawn","seat":1,"source":"stock","card":"6h","face_up":false,"stock":8,"by":"player"}]');
INSERT INTO "steps" VALUES(70,1,85,1764500207,'[{"type":"card-discarded","seat":1,"card":"Td","face_up":true,"by":"player","next":2,"round":13}]');
INSERT INTO "steps" VALUES(71,1,87,1764500210,'[{"type":"card-drawn","seat":2,"source":"stock","card":"7h","face_up":false,"stock":7,"by":"house"},{"type":"card-discarded","seat":2,"card":"7h","face_up":true,"by":"house","next":0,"round":14}]');
INSERT INTO "steps" VALUES(72,1,89,1764500213,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Ks","face_up":false,"stock":6,"by":"house"},{"type":"card-discarded","seat":0,"card":"Ks","face_up":true,"by":"house","next":1,"round":14}]');
INSERT INTO "steps" VALUES(73,1,90,1764500216,'[{"type":"card-drawn","seat":1,"source":"stock","card":"Jd","face_up":false,"stock":5,"by":"player"}]');
INSERT INTO "steps" VALUES(74,1,91,1764500219,'[{"type":"card-discarded","seat":1,"card":"Tc","face_up":true,"by":"player","next":2,"round":14}]');
INSERT INTO "steps" VALUES(75,2,7,1764500222,'[{"type":"card-drawn","seat":1,"source":"stock","card":"Qh","face_up":false,"stock":40,"by":"player"}]');
INSERT INTO "steps" VALUES(76,1,93,1764500225,'[{"type":"card-drawn","seat":2,"source":"stock","card":"4s","face_up":false,"stock":4,"by":"house"},{"type":"card-discarded","seat":2,"card":"4s","face_up":true,"by":"house","next":0,"round":15}]');
INSERT INTO "steps" VALUES(77,1,95,1764500228,'[{"type":"card-drawn","seat":0,"source":"stock","card":"5c","face_up":false,"stock":3,"by":"house"},{"type":"card-discarded","seat":0,"card":"5c","face_up":true,"by":"house","next":1,"round":15}]');
INSERT INTO "steps" VALUES(78,1,96,1764500231,'[{"type":"card-drawn","seat":1,"source":"stock","card":"3d","face_up":false,"stock":2,"by":"player"}]');
INSERT INTO "steps" VALUES(79,1,97,1764500234,'[{"type":"card-discarded","seat":1,"card":"Qd","face_up":true,"by":"player","next":2,"round":15}]');
INSERT INTO "steps" VALUES(80,1,99,1764500237,'[{"type":"card-drawn","seat":2,"source":"stock","card":"3h","face_up":false,"stock":1,"by":"house"},{"type":"card-discarded","seat":2,"card":"3h","face_up":true,"by":"house","next":0,"round":16}]');
INSERT INTO "steps" VALUES(81,1,102,1764500240,'[{"type":"card-drawn","seat":0,"source":"stock","card":"Js","face_up":false,"stock":0,"by":"house"},{"type":"card-discarded","seat":0,"card":"Js","face_up":true,"by":"house","next":1,"round":16},{"type":"stock-reshuffled","order":["Jc","9c","3h","8s","5s","2h","7s","3s","2d","Ad","Qd","5c","8h","6s","Ks","4c","Th","Ts","4s","5d","Qc","Jh","9h","7h","Kd","7c","Qs","Ac","Td","As","7d","Tc","4h","8d","Qh"]}]');
INSERT INTO "steps" VALUES(82,1,103,1764500243,'[{"type":"card-drawn","seat":1,"source":"discards","card":"Js","face_up":true,"stock":35,"by":"player"}]');
INSERT INTO "steps" VALUES(83,1,104,1764500246,'[{"type":"combination-called","seat":1,"cards":["Js","Jd","9d","6h","3d","3c"],"discard":null,"face_up":true,"combination":"paiute","ranks":["J","9","3"],"turn":16,"next":2,"round":16}]');
INSERT INTO "steps" VALUES(84,1,106,1764500249,'[{"type":"card-drawn","seat":2,"source":"stock","card":"Jc","face_up":false,"stock":34,"by":"house"},{"type":"card-discarded","seat":2,"card":"Jc","face_up":true,"by":"house","next":0,"round":17}]');
INSERT INTO "steps" VALUES(85,2,8,1764500252,'[{"type":"card-discarded","seat":1,"card":"Jc","face_up":true,"by":"player","next":0,"round":1}]');
INSERT INTO "steps" VALUES(86,1,109,1764500255,'[{"type":"card-drawn","seat":0,"source":"stock","card":"9c","face_up":false,"stock":33,"by":"house"},{"type":"card-discarded","seat":0,"card":"9c","face_up":true,"by":"house","next":null,"round":17},{"type":"hand-ended","outcome":"won","winners":[1],"payments":[{"seat":0,"amount":0},{"seat":1,"amount":75},{"seat":2,"amount":0}],"pot":0}]');
INSERT INTO "steps" VALUES(87,1,110,1764500258,'[{"type":"table-closed","shares":[{"player":"evening-p0","amount":0},{"player":"evening-p1","amount":0},{"player":"evening-p2","amount":0}],"reason":"expired"}]');
INSERT INTO "steps" VALUES(88,2,9,1764500261,'[{"type":"card-drawn","seat":0,"source":"discards","card":"Jc","face_up":true,"stock":40,"by":"player"}]');
INSERT INTO "steps" VALUES(89,2,10,1764500264,'[{"type":"card-discarded","seat":0,"card":"9h","face_up":true,"by":"player","next":1,"round":2}]');
INSERT INTO "steps" VALUES(90,2,11,1764500267,'[{"type":"card-drawn","seat":1,"source":"discards","card":"9h","face_up":true,"stock":40,"by":"player"}]');
INSERT INTO "steps" VALUES(91,2,12,1764500270,'[{"type":"card-discarded","seat":1,"card":"3h","face_up":true,"by":"player","next":0,"round":2}]');
INSERT INTO "steps" VALUES(92,2,13,1764500273,'[{"type":"card-drawn","seat":0,"source":"discards","card":"3h","face_up":true,"stock":40,"by":"player"}]');
INSERT INTO "steps" VALUES(93,2,14,1764500276,'[{"type":"card-discarded","seat":0,"card":"Td","face_up":true,"by":"player","next":1,"round":3}]');
CREATE TABLE tables (
        number INTEGER NOT NULL PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        closed INTEGER NOT NULL,
        checkpoint TEXT
    , since INTEGER NOT NULL DEFAULT 0);
INSERT INTO "tables" VALUES(1,'evening',1,NULL,4);
INSERT INTO "tables" VALUES(2,'going-on',0,'{"opened":{"type":"table-opened","name":"Table going-on","rules":{"wild_rule":"turned-rank","opening_discard":false,"closed_discards":false,"first_call_round":1,"round_limit":null,"last_turns":"to-closer","paiute_turns":"auto","royal_on_top":false,"ties":"split","payment":"pot","stake":25,"large_table":false,"house_deals":false},"seats":2,"time_limit_ms":60000},"seq":3,"decision":0,"hands":0,"occupants":[{"seat":0,"player":"going-on-p0","name":"going-on-p0","bot":false},{"seat":1,"player":"going-on-p1","name":"going-on-p1","bot":false}],"accounts":[{"player":"going-on-p0","name":"going-on-p0","balance":0},{"player":"going-on-p1","name":"going-on-p1","balance":0}],"pot":0,"closer":null,"last_players":[],"closed":false}',54);
COMMIT;
